// A character as three.js draws it from the GLB, and as our picture shows it: the same silhouette.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { startBrowser } from "./lib/browser.mjs";
import { corpus, samples, startDaemon } from "./lib/daemon.mjs";
import { decodePNG } from "./lib/pixels.mjs";

const SIZE = 1024;
const OF_A_FAMILY = 2; // software draws them, seconds each
const SOLID = 150; // below it is the shadow
const ANGLES = { front: [0, 7], side: [90, 7], "three-quarter": [35, 14] }; // degrees around the figure, and up

let daemon, browser;
before(async () => {
  const paths = [samples, ...["sl", "sims/sims1", "sims3/meshes/dress", "sims3/clips"].map(corpus).filter(Boolean)];
  [daemon, browser] = await Promise.all([startDaemon(...paths), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
});

const THREE_FOLDER = join(process.env.POSED_MODULES, "three");
const PAGE = `<!doctype html><script type="importmap">{"imports":{"three":"/build/three.module.js","three/addons/":"/examples/jsm/"}}</script>
<script type="module">import * as THREE from "three"; import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js"; Object.assign(window, { THREE, GLTFLoader });</script>`;

/** A page of its own with three.js, not ours. */
async function threePage() {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(Number(process.env.POSED_PATIENCE_MS ?? 60000));
  await page.route("http://three.test/**", (route) => {
    const path = new URL(route.request().url()).pathname;
    if (path === "/") return route.fulfill({ contentType: "text/html", body: PAGE });
    if (path.endsWith(".ico")) return route.fulfill({ status: 404 });
    return route.fulfill({ contentType: "text/javascript", body: readFileSync(join(THREE_FOLDER, path)) });
  });
  await page.goto("http://three.test/");
  await page.waitForFunction(() => window.GLTFLoader);
  return page;
}

/** Loads the GLB and poses it at t; gives a frame that holds it: metres of the left and upper edge, pixels a metre. */
function posed(page, glb, t, angle) {
  return page.evaluate(async ([data, t, [around, up], size]) => {
    const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
    const gltf = await new Promise((done, fail) => new GLTFLoader().parse(bytes.buffer, "", done, fail));
    const mixer = new THREE.AnimationMixer(gltf.scene), action = mixer.clipAction(gltf.animations[0]);
    action.setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
    mixer.setTime(t);
    gltf.scene.updateMatrixWorld(true);
    const [a, u] = [around, up].map((degrees) => degrees * Math.PI / 180);
    const back = new THREE.Vector3(Math.cos(u) * Math.sin(a), Math.sin(u), Math.cos(u) * Math.cos(a));
    const right = new THREE.Vector3(Math.cos(a), 0, -Math.sin(a)), above = back.clone().cross(right);
    const least = [Infinity, Infinity], most = [-Infinity, -Infinity], place = new THREE.Vector3();
    gltf.scene.traverse((mesh) => {
      if (!mesh.isMesh) return;
      mesh.frustumCulled = false;
      mesh.skeleton?.update();
      for (let i = 0; i < mesh.geometry.attributes.position.count; i++) {
        mesh.getVertexPosition(i, place).applyMatrix4(mesh.matrixWorld);
        [place.dot(right), place.dot(above)].forEach((value, k) => {
          least[k] = Math.min(least[k], value);
          most[k] = Math.max(most[k], value);
        });
      }
    });
    window.subject = { scene: gltf.scene, right, above, back };
    return { left: least[0], top: most[1], scale: size / Math.max(most[0] - least[0], most[1] - least[1]) };
  }, [glb.toString("base64"), t, angle, SIZE]);
}

/** The PNG of what is posed, by a parallel camera. */
async function drawn(page, frame) {
  const text = await page.evaluate(([{ left, top, scale }, size]) => {
    const { scene: figure, right, above, back } = window.subject;
    const camera = new THREE.OrthographicCamera(left, left + size / scale, top, top - size / scale, -1000, 1000);
    camera.matrixAutoUpdate = false;
    camera.matrix.makeBasis(right, above, back);
    camera.matrixWorldNeedsUpdate = true;
    const renderer = (window.renderer ??= new THREE.WebGLRenderer({ alpha: true, antialias: true, preserveDrawingBuffer: true }));
    renderer.setSize(size, size, false);
    renderer.setClearColor(0, 0);
    const scene = new THREE.Scene();
    scene.add(figure, new THREE.AmbientLight(0xffffff, 3));
    renderer.render(scene, camera);
    const url = renderer.domElement.toDataURL("image/png");
    return url.slice(url.indexOf(",") + 1);
  }, [frame, SIZE]);
  return Buffer.from(text, "base64");
}

/** The frame in which what has the box `from` has the box `to`, as near as one scale can. */
function moved(frame, from, to) {
  const tall = (box) => box.bottom - box.top, wide = (box) => box.right - box.left;
  const ratio = tall(to) > wide(to) ? tall(to) / tall(from) : wide(to) / wide(from), scale = frame.scale * ratio;
  const x = frame.left + (from.left + from.right) / 2 / frame.scale, y = frame.top - (from.top + from.bottom) / 2 / frame.scale;
  return { scale, left: x - (to.left + to.right) / 2 / scale, top: y + (to.top + to.bottom) / 2 / scale };
}

/** Which pixels are solid, and their box. */
function silhouette(png) {
  const { width, height, channels, data } = decodePNG(png), solid = new Uint8Array(width * height);
  const box = { left: width, top: height, right: 0, bottom: 0 };
  for (let i = 0; i < solid.length; i++) {
    if (data[i * channels + 3] < SOLID) continue;
    solid[i] = 1;
    const x = i % width, y = Math.floor(i / width);
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x + 1);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y + 1);
  }
  return { solid, box };
}

/** What both cover of what either covers; laid on one another to a pixel, as boxes of whole pixels cannot be. */
function overlapOf(a, b) {
  let best = 0;
  for (const dy of [-1, 0, 1])
    for (const dx of [-1, 0, 1]) {
      let both = 0, any = 0;
      for (let i = SIZE + 1; i < a.length - SIZE - 1; i++) {
        const other = b[i + dy * SIZE + dx];
        both += a[i] & other;
        any += a[i] | other;
      }
      best = Math.max(best, both / any);
    }
  return best;
}

async function bytesOf(path) {
  const reply = await fetch(daemon.origin + path);
  assert.equal(reply.status, 200, path);
  return Buffer.from(await reply.arrayBuffer());
}

test("characters of all families have the silhouette that three.js draws", async () => {
  const page = await threePage(), families = new Map(), overlaps = [];
  const clips = (await daemon.clips()).filter((clip) => clip.key_count);
  for (const { id } of (await daemon.get("/v1/characters?limit=200")).items) {
    const one = await daemon.get(`/v1/characters/${id}`);
    const family = one.format.split("-")[0];
    const own = new Set(one.clips.map((clip) => clip.id));
    const clip = clips.find((clip) => own.has(clip.id)) ?? clips.find((clip) => clip.skeleton && clip.skeleton === one.skeleton);
    if (!clip || !one.meshes.length || (families.get(family) ?? 0) >= OF_A_FAMILY) continue;
    families.set(family, (families.get(family) ?? 0) + 1);
    const query = `character=${id}&with=none&skeleton=${one.skeleton}`;
    const glb = await bytesOf(`/v1/characters/${id}.glb?clips=${clip.id}`);
    for (const [name, angle] of Object.entries(ANGLES)) {
      const t = 0.3;
      const ours = await bytesOf(`/v1/clips/${clip.id}/preview.png?${query}&t=${t}&width=${SIZE}&height=${SIZE}&angle=${name}`);
      const { solid, box } = silhouette(ours);
      // The cameras agree but for place and size: hidden corners are in no picture, so pictures are laid on one another.
      const frame = await posed(page, glb, t, angle);
      const theirs = await drawn(page, moved(frame, silhouette(await drawn(page, frame)).box, box));
      const overlap = overlapOf(solid, silhouette(theirs).solid);
      overlaps.push(`${one.format} ${one.name} ${name}: ${overlap.toFixed(4)}`);
      if (overlap <= 0.98) {
        writeFileSync(join(process.env.POSED_PICTURES, `ours-${family}-${name}.png`), ours);
        writeFileSync(join(process.env.POSED_PICTURES, `three-${family}-${name}.png`), theirs);
      }
    }
  }
  console.log(overlaps.join("\n"));
  assert.ok(families.size >= 2, [...families.keys()].join());
  assert.deepEqual(overlaps.filter((text) => Number(text.slice(text.lastIndexOf(" "))) <= 0.98), []);
});
