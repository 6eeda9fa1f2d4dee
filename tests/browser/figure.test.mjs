// What is seen of clips of every family: it stands upright, moves, and stays in the frame.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { open, stagePixels, startBrowser, withPage } from "./lib/browser.mjs";
import { corpus, samples, startDaemon, temporaryFolder } from "./lib/daemon.mjs";
import { boxOf, difference } from "./lib/pixels.mjs";

let daemon, browser;
before(async () => {
  const paths = [samples, ...["sl/bento", "sl/bvh", "sl/avatar_skeleton.xml", "sims/tso", "sims/sims1", "sims3/clips", "sims3/rigs"].map(corpus).filter(Boolean)];
  [daemon, browser] = await Promise.all([startDaemon(...paths), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
});

/** As a slider gives it back. */
const plain = (t) => String(Math.floor(t * 1000) / 1000);

/** The stage at some moments, without the floor. */
async function seen(page, clip, times, hash = "") {
  await open(page, `${daemon.origin}/clip/${clip.id}#t=${times[0]}${hash}`);
  await page.getByLabel("Floor").uncheck();
  const pictures = [];
  for (const t of times) {
    await page.getByLabel("Time", { exact: true }).fill(plain(t));
    pictures.push(await stagePixels(page));
  }
  return pictures;
}

function assertInFrame(picture, what) {
  const box = boxOf(picture);
  assert.ok(box, `${what} is not blank`);
  assert.ok(box.left > 0 && box.top > 0 && box.right < picture.width - 1 && box.bottom < picture.height - 1, `${what} stays in the frame`);
  return box;
}

const WALKS = [["a2o-walk", "tso-anim"], ["walk", "sl-anim"], ["a_walk_loop_x", "sims3-clip"]];

for (const [name, format] of WALKS)
  test(`${format}: a walk stands upright, moves and stays in the frame`, () => withPage(browser, daemon.origin, {}, async (page) => {
    const [clip] = (await daemon.clips(`&name=${name}&format=${format}`));
    const times = [0, 0.2, 0.4, 0.6, 0.8, 1].map((share) => clip.duration * share);
    const pictures = await seen(page, clip, times);
    for (const [i, picture] of pictures.entries()) {
      const box = assertInFrame(picture, `${name} at ${times[i]}`);
      assert.ok(box.height > box.width * 1.5, `${name} stands at ${times[i]}: ${box.width} x ${box.height}`);
      assert.ok(box.height > picture.height * 0.4, `${name} is large enough: ${box.height} of ${picture.height}`);
    }
    assert.ok(difference(pictures[0], pictures[1]) > 200 && difference(pictures[1], pictures[2]) > 200, "it moves");
  }));

test("the head is above the feet", () => withPage(browser, daemon.origin, {}, async (page) => {
  for (const [name, format] of WALKS) {
    const [clip] = await daemon.clips(`&name=${name}&format=${format}`);
    await open(page, `${daemon.origin}/clip/${clip.id}#t=0`);
    const heights = await page.evaluate(() => {
      const { viewer } = document.querySelector(".stage");
      const find = (pattern) => viewer.poses.joints.findIndex((joint) => pattern.test(joint.name));
      return [/head/i, /(^|_)r?_?foot/i, /pelvis|hip/i].map((pattern) => viewer.world[find(pattern) * 16 + 13]);
    });
    assert.ok(heights[0] > heights[2] && heights[2] > heights[1], `${name}: ${heights}`);
  }
}));

test("clips of every family move and stay in the frame", () => withPage(browser, daemon.origin, {}, async (page) => {
  const clips = await daemon.clips();
  const families = new Map();
  for (const clip of clips) {
    if (!(clip.duration > 0.2) || !clip.key_count) continue;
    const key = `${clip.format} ${clip.skeleton ? "on a skeleton" : "alone"}`;
    families.set(key, [...(families.get(key) ?? []), clip]);
  }
  assert.ok(families.size >= 4, [...families.keys()].join());
  for (const [family, all] of families) {
    let moved = 0;
    for (const clip of all.length > 2 ? [all[all.length >> 1], all[all.length - 1]] : all) {
      const pictures = await seen(page, clip, [0, 0.4, 0.8].map((share) => clip.duration * share));
      for (const picture of pictures) assertInFrame(picture, `${family}: ${clip.name}`);
      moved = Math.max(moved, ...pictures.slice(1).map((picture) => difference(pictures[0], picture)));
    }
    assert.ok(moved > 50, `${family}: moves`); // some clips hold a pose
  }
}));

test("a body is shown by default, textured or not, in one request, and moves", () => withPage(browser, daemon.origin, {}, async (page) => {
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const [clip] = await daemon.clips("&name=a2o-walk&format=tso-anim");
  await open(page, `${daemon.origin}/clip/${clip.id}#t=0`);
  assert.equal(asked.filter((path) => path.endsWith(".glb")).length, 1);
  assert.ok(!asked.some((path) => path.endsWith("/vertices")), "no vertices are fetched");
  await page.getByLabel("Floor").uncheck();
  assert.equal(await page.getByLabel("Bones").isChecked(), false);
  assert.ok(await page.evaluate(() => document.querySelector(".stage").viewer.body.meshes.every((mesh) => mesh.isSkinnedMesh)));
  const first = await stagePixels(page), box = assertInFrame(first, "the body");
  assert.ok(box.height > box.width * 1.2, "it stands upright");
  await page.getByLabel("Time", { exact: true }).fill(plain(clip.duration / 2));
  assert.ok(difference(first, await stagePixels(page)) > 500, "it moves");
  await page.getByLabel("Body").fill("Bones");
  await page.getByLabel("Body").dispatchEvent("change");
  await page.waitForFunction(() => !document.querySelector(".stage").viewer.body);
  await page.getByLabel("Time", { exact: true }).fill("0");
  const bones = boxOf(await stagePixels(page));
  assert.ok(box.count > bones.count * 1.3, `a body is thicker than its bones: ${box.count}, ${bones.count}`);
}));

test("the body is where the bones are", () => withPage(browser, daemon.origin, {}, async (page) => {
  for (const [name, format] of WALKS) {
    const [clip] = await daemon.clips(`&name=${name}&format=${format}`);
    await open(page, `${daemon.origin}/clip/${clip.id}#t=${plain(clip.duration * 0.4)}`);
    const apart = await page.evaluate(() => {
      const { viewer } = document.querySelector(".stage");
      const nodes = new Map();
      viewer.body.scene.updateMatrixWorld(true);
      viewer.body.scene.traverse((node) => node.isBone && nodes.set(node.name, node));
      return Math.max(...viewer.poses.joints.map((joint, i) => {
        const node = nodes.get(joint.name);
        return node ? Math.hypot(...[0, 1, 2].map((k) => node.matrixWorld.elements[12 + k] - viewer.world[i * 16 + 12 + k])) : 0;
      }));
    });
    assert.ok(apart < 0.02, `${name}: ${apart} m`);
  }
}));

test("the page of a character shows it moving", () => withPage(browser, daemon.origin, {}, async (page) => {
  for (const format of ["prime-ancs", "tso-apr"]) {
    const [character] = (await daemon.get(`/v1/characters?format=${format}&limit=1`)).items;
    await open(page, `${daemon.origin}/character/${character.id}`);
    await page.getByRole("button", { name: /Pause|Play/ }).waitFor();
    await page.evaluate(() => (document.querySelector(".stage").viewer.showsFloor = false));
    await page.getByLabel("Time", { exact: true }).fill("0");
    const first = await stagePixels(page);
    assertInFrame(first, format);
    await page.getByLabel("Time", { exact: true }).fill("0.3");
    assert.ok(difference(first, await stagePixels(page)) > 100, `${format}: it moves`);
    const touched = await page.evaluate(async () => {
      const { viewer } = document.querySelector(".stage"), { touches } = viewer.floor.lines.material.uniforms;
      viewer.showsFloor = true;
      viewer.render();
      return touches.value.map((one) => one.z);
    });
    assert.ok(touched[0] > (format === "tso-apr" ? 0.05 : 0) && touched[0] >= touched.at(-1), `${format}: darker where it stands (the creature floats), ${touched}`);
  }
}));

test("a resized view is not empty before its next frame", () => withPage(browser, daemon.origin, {}, async (page) => {
  const [clip] = await daemon.clips("&name=a2o-walk&format=tso-anim");
  await open(page, `${daemon.origin}/clip/${clip.id}#t=0.3`);
  const filled = await page.evaluate(() => {
    const { viewer } = document.querySelector(".stage");
    viewer.resize();
    const gl = viewer.renderer.getContext(), { drawingBufferWidth: w, drawingBufferHeight: h } = gl;
    const pixels = new Uint8Array(w * h * 4);
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    return pixels.some(Boolean);
  });
  assert.ok(filled);
}));

test("clips that travel far, and figures of any size, are framed", () => withPage(browser, daemon.origin, {}, async (page) => {
  const [clip] = await daemon.clips("&name=walk&format=sl-anim");
  for (const [scale, travel] of [[1, 40], [1000, 0], [0.001, 0], [0.02, 3]]) {
    await page.route(/\/poses\?/, async (route) => {
      const response = await route.fetch(), body = await response.body();
      const length = body.readUInt32LE(0), begin = 4 + length + ((4 - (length % 4)) % 4);
      const head = JSON.parse(body.toString("utf8", 4, 4 + length)), joints = head.joints.length;
      for (let at = begin, i = 0; at < body.length; at += 40, i++) {
        for (let k = 0; k < 3; k++) body.writeFloatLE(body.readFloatLE(at + 4 * k) * scale, at + 4 * k);
        if (i % joints === 0) body.writeFloatLE(body.readFloatLE(at + 8) + (travel * scale * Math.floor(i / joints) * joints * 40) / (body.length - begin), at + 8);
      }
      await route.fulfill({ response, body });
    });
    const pictures = await seen(page, clip, [0, 0.5, 0.97].map((share) => clip.duration * share), "&mesh=bones");
    for (const picture of pictures) assertInFrame(picture, `${scale} times, ${travel} away`);
    await page.unroute(/\/poses\?/);
  }
}));

/** A chain of three joints of a skin and two nodes of none, all of which turn. */
function rigged() {
  const names = ["hips", "spine", "head", "lantern", "knee_ctrl"];
  const floats = new Float32Array([...Array.from({ length: 48 }, (_, i) => (i % 16 % 5 === 0 ? 1 : 0)), 0, 1, 0, 0, 0, 1, 0, 0, 0.6, 0.8]);
  const places = [[0, 1, 0], [0, 0.3, 0], [0, 0.3, 0], [2, 0, 0], [0, 0, 2]], children = [[1, 3], [2, 4], [], [], []];
  return JSON.stringify({
    asset: { version: "2.0" }, scene: 0, scenes: [{ nodes: [0] }],
    nodes: names.map((name, i) => ({ name, translation: places[i], ...(children[i].length && { children: children[i] }) })),
    skins: [{ joints: [0, 1, 2], inverseBindMatrices: 0 }],
    animations: [{ samplers: [{ input: 1, output: 2 }], channels: names.map((_, node) => ({ sampler: 0, target: { node, path: "rotation" } })) }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: "MAT4" }, { bufferView: 0, byteOffset: 192, componentType: 5126, count: 2, type: "SCALAR" },
      { bufferView: 0, byteOffset: 200, componentType: 5126, count: 2, type: "VEC4" }],
    bufferViews: [{ buffer: 0, byteLength: floats.byteLength }],
    buffers: [{ byteLength: floats.byteLength, uri: `data:application/octet-stream;base64,${Buffer.from(floats.buffer).toString("base64")}` }],
  });
}

const folder = temporaryFolder(after);

test("bones are what a skin moves, whatever the others are called", async () => {
  const file = join(folder, "rig.gltf");
  writeFileSync(file, rigged());
  const own = await startDaemon(file);
  try {
    await withPage(browser, own.origin, {}, async (page) => {
      const [clip] = await own.clips();
      await open(page, `${own.origin}/clip/${clip.id}`);
      const bones = await page.evaluate(() => {
        const { viewer } = document.querySelector(".stage");
        return viewer.boneJoints.map((i) => viewer.poses.joints[i].name);
      });
      assert.deepEqual(bones, ["spine", "head"]);
    });
  } finally {
    await own.stop();
  }
});
