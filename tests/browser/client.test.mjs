// The client in Node: every method against a real daemon, its types, the driver of three.js, its example.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { startBrowser, withPage } from "./lib/browser.mjs";
import { samples, startDaemon, temporaryFolder } from "./lib/daemon.mjs";
import { decodePNG, movement } from "./lib/pixels.mjs";

const modules = process.env.POSED_MODULES;
const source = new URL("../../api/client/", import.meta.url);
const folder = temporaryFolder(after);
const { Posed, PosedError, decodePoses } = await import(new URL("posed.js", source));
const { animationClip, loadFigure, PoseDriver, threeName } = await import(new URL("three.js", source));
let daemon, posed, walk;

before(async () => {
  daemon = await startDaemon(samples);
  posed = new Posed(`${daemon.origin}/`);
  walk = (await posed.clips({ name: "a2o-walk", format: "tso-anim" })).items[0];
});
after(() => daemon?.stop());

const near = (found, wanted, tolerance = 1e-5) => {
  assert.equal(found.length, wanted.length);
  wanted.forEach((value, i) => assert.ok(Math.abs(found[i] - value) <= tolerance, `${[...found]} is not ${wanted}`));
};
const nearTurn = (found, wanted, tolerance) => {
  const same = found.reduce((sum, value, i) => sum + value * wanted[i], 0);
  near(same < 0 ? found.map((value) => -value) : found, wanted, tolerance);
};

test("lists, page by page", async () => {
  const all = [];
  for await (const clip of posed.all("clips", { limit: 3 })) all.push(clip.id);
  const { total, items } = await posed.clips({ limit: 1000 });
  assert.equal(all.length, total);
  assert.deepEqual(new Set(all), new Set(items.map((clip) => clip.id)));
  for (const kind of ["archives", "skeletons", "meshes", "characters"]) assert.ok((await posed[kind]()).total > 0, kind);
  assert.ok((await posed.formats()).items.some((format) => format.id === "tso-anim"));
});

test("a clip, its keys, its events, its skeleton", async () => {
  const clip = await posed.clip(walk.id);
  assert.equal(clip.joint_count, clip.joints.length);
  assert.equal((await posed.keys(walk.id)).joints.length, clip.joints.length);
  const events = (await posed.events(walk.id)).items;
  assert.ok(events.length > 1);
  assert.equal((await posed.events(walk.id, { from: 0.1 })).items.length, events.filter((event) => event.time >= 0.1).length);
  assert.equal((await posed.skeleton(walk.skeleton)).id, walk.skeleton);
});

test("on somebody else's skeleton", async () => {
  const people = await posed.people();
  const avatar = people.items.find((one) => one.family === "sl");
  assert.equal((await posed.humanoid(avatar.skeleton)).mapped.hips.joint, "mPelvis");
  await assert.rejects(posed.humanoid("0".repeat(32)), (error) => error instanceof PosedError && error.status === 404);
  const fit = await posed.retarget(walk.id, { onto: avatar.skeleton });
  assert.equal(fit.target.skeleton, avatar.skeleton);
  assert.ok(fit.measures.head < 0.01);
  const poses = await posed.poses(walk.id, { onto: avatar.skeleton, map: { L_FINGER0: null } });
  assert.equal(poses.head.skeleton, avatar.skeleton);
  assert.ok(poses.joints.some((joint) => joint.name === "mKneeLeft"));
  const pose = await posed.pose(walk.id, 0.5, { onto: avatar.skeleton, ik: "none" });
  assert.equal(pose.skeleton, avatar.skeleton);
  const file = await posed.request(posed.convertURL(walk.id, "anim", { onto: avatar.skeleton, to: "sl-anim" }).slice(posed.base.length));
  assert.ok((await file.arrayBuffer()).byteLength > 1000);
});

test("poses in typed arrays are those of /pose, between frames too", async () => {
  const poses = await posed.poses(walk.id, { end: 1 });
  assert.equal(poses.floats.length, poses.frameCount * poses.stride);
  assert.ok(Math.abs(poses.duration - walk.duration) < 1e-6);
  const row = new Float32Array(poses.stride);
  for (const k of [0, 1, 7, poses.frameCount - 1]) {
    const one = await posed.pose(walk.id, poses.times[k]);
    poses.sample(poses.times[k], row);
    one.joints.forEach((joint, i) => {
      assert.equal(joint.name, poses.joints[i].name);
      near(row.subarray(i * 10, i * 10 + 3), joint.translation);
      nearTurn([...row.subarray(i * 10 + 3, i * 10 + 7)], joint.rotation, 1e-5);
      near(row.subarray(i * 10 + 7, i * 10 + 10), joint.scale);
    });
  }
  const middle = (poses.times[3] + poses.times[4]) / 2, one = await posed.pose(walk.id, middle);
  poses.sample(middle, row);
  one.joints.forEach((joint, i) => nearTurn([...row.subarray(i * 10 + 3, i * 10 + 7)], joint.rotation, 1e-3));
  assert.equal(poses.frameAt(-1), 0);
  assert.equal(poses.frameAt(99), poses.frameCount - 1);
  assert.deepEqual([...poses.sample(99, row)], [...poses.frame(poses.frameCount - 1)]);
  assert.deepEqual(poses.sample(99), row);
});

test("matrices, and the bytes alone", async () => {
  const poses = await posed.poses(walk.id, { space: "model", t: [0, 0.5] });
  assert.deepEqual([poses.width, poses.frameCount], [16, 2]);
  const one = await posed.pose(walk.id, 0.5, { space: "model" });
  near(poses.frame(1).subarray(16, 32), one.joints[1].matrix);
  const response = await posed.request(`/v1/clips/${walk.id}/poses?as=posed&fps=5`);
  assert.equal(decodePoses(await response.arrayBuffer()).head.fps, 5);
});

test("a stream gives a pose after another", async () => {
  const whole = await posed.json(`/v1/clips/${walk.id}/poses?fps=20&as=json`);
  const streamed = [];
  for await (const frame of posed.stream(walk.id, { fps: 20 })) streamed.push(frame);
  assert.deepEqual(streamed.map((frame) => frame.t), whole.times);
  assert.deepEqual(streamed[3].rotation, whole.poses[3].rotation);
});

test("a batch, a blend, and what of it was refused", async () => {
  const other = (await posed.clips({ name: "a2o-wave", format: "tso-anim" })).items[0];
  const results = await posed.batch([{ clip: walk.id, t: [0, 0.5] }, { clip: "0".repeat(32), t: 0 },
    { layers: [{ clip: walk.id, t: 0.5, weight: 1 }, { clip: other.id, t: 0.5, weight: 0 }] }]);
  assert.equal(results[0].poses.length, 2);
  assert.equal(results[1].error.status, 404);
  results[2].poses[0].rotation.forEach((rotation, i) => rotation && nearTurn(rotation, results[0].poses[1].rotation[i], 1e-5));
});

test("clips together", async () => {
  const clips = (await posed.clips({ format: "sl-anim" })).items;
  const layers = ["walk", "wave"].map((name) => ({ clip: clips.find((clip) => clip.name === name).id }));
  const mixed = await posed.mixed({ mix: "sl", layers: [{ ...layers[0], stop: 1 }, { ...layers[1], start: 0.5 }], fps: 10, to: 2 });
  assert.equal(mixed.frameCount, 21);
  assert.ok(mixed.head.morphs.includes("Hands_Relaxed"));
  const [one] = await posed.batch([{ layers: [{ ...layers[0], weight: 2 }, { ...layers[1], additive: true }], t: 0.3, explain: true }]);
  assert.equal(one.poses[0].explain.length, one.joints.length);
  const file = new Uint8Array(await (await posed.mixedFile({ crossfade: [layers[0], { ...layers[1], at: 0.2, duration: 0.2 }], to: 1 })).arrayBuffer());
  assert.equal(new TextDecoder().decode(file.subarray(0, 4)), "glTF");
  await assert.rejects(posed.mixed({ mix: "sl", layers: [{ ...layers[0], start: -1 }] }), (error) => error.problem.pointer === "/requests/0/layers/0/start");
});

test("refusals are thrown with their problem", async () => {
  await assert.rejects(posed.clip("0".repeat(32)), (error) => error instanceof PosedError && error.status === 404 && error.problem.status === 404 && error.message === error.problem.detail);
  await assert.rejects(posed.pose(walk.id, 0, { space: "sideways" }), (error) => error.status === 400 && error.problem.parameter === "space");
  const broken = new Blob([readFileSync(join(samples, "second-life", "walk.anim")).subarray(0, 200)]);
  await assert.rejects(posed.upload(broken, "broken.anim"), (error) => error.status === 422 && Number.isInteger(error.problem.offset) && /byte \d+/.test(error.message));
  const odd = new Posed("http://x.invalid", { fetch: async () => new Response("<h1>Bad gateway</h1>", { status: 502, statusText: "Bad Gateway" }) });
  await assert.rejects(odd.clips(), (error) => error instanceof PosedError && error.status === 502 && error.problem === null);
});

test("a server that is away is named, and so is what a base begins with", async () => {
  const away = new Posed("http://127.0.0.1:1");
  await assert.rejects(away.clips(), (error) => error instanceof TypeError && error.message.startsWith("http://127.0.0.1:1/v1/clips does not answer: "));
  for (const base of ["localhost:8080", "127.0.0.1:8080/posed"]) assert.throws(() => new Posed(base), { message: `base "${base}" must begin with http:// or https://` });
  for (const base of ["", "/posed", "https://x.invalid"]) assert.equal(new Posed(base).base, base);
});

test("a token is sent, a request can be given up", async () => {
  let seen;
  const told = new Posed("http://x.invalid", { token: "secret", fetch: async (url, init) => ((seen = [url, init.headers.get("Authorization")]), new Response("{}")) });
  await told.clips({ q: "a b", limit: undefined });
  assert.deepEqual(seen, ["http://x.invalid/v1/clips?q=a+b", "Bearer secret"]);
  await assert.rejects(posed.clips({}, { signal: AbortSignal.abort() }), { name: "AbortError" });
});

test("uploads and their end; what is only looked at", async () => {
  const bytes = readFileSync(join(samples, "second-life", "walk.anim"));
  const changed = Buffer.from(bytes);
  changed.writeFloatLE(0.123, 25);
  const inspected = await posed.inspect(changed, "mine.anim");
  assert.equal(inspected.format, "sl-anim");
  const upload = await posed.upload(new Blob([changed]), "mine.anim");
  assert.deepEqual([upload.clips.length, upload.rejected.length], [1, 0]);
  assert.equal((await posed.clip(upload.clips[0].id)).name, "mine");
  await posed.remove(upload.id);
  await assert.rejects(posed.clip(upload.clips[0].id), { status: 404 });
});

test("vertices, and where pictures and files are", async () => {
  const mesh = (await posed.meshes({ format: "tso-mesh" })).items[0];
  const vertices = await posed.vertices(mesh.id, { clip: walk.id, t: 0.5 });
  const { faces } = await posed.mesh(mesh.id);
  assert.ok(vertices.length / 6 > Math.max(...faces.flat()));
  for (const url of [posed.previewURL(walk.id, "png", { width: 64 }), posed.plotURL(walk.id, { joint: "PELVIS" }), posed.convertURL(walk.id, "glb")])
    assert.equal((await fetch(url)).status, 200, url);
});

test("three.js bones, found by its own names, stand where the server says", async () => {
  const three = await import(pathToFileURL(join(modules, "three/build/three.module.js")));
  const { GLTFLoader } = await import(pathToFileURL(join(modules, "three/examples/jsm/loaders/GLTFLoader.js")));
  globalThis.self = globalThis; // the loader asks for it
  for (const name of ["PELVIS", "a b:c.d/e[f]", "a\tb  c", "übung.001"]) assert.equal(threeName(name), three.PropertyBinding.sanitizeNodeName(name));
  const renamed = JSON.stringify({ L_LEG: "left leg.001" });
  for (const options of [{ bones: "none" }, { bones: "none", map: renamed }]) {
    const glb = await (await posed.request(`/v1/clips/${walk.id}.glb?${new URLSearchParams(options)}`)).arrayBuffer();
    const gltf = await new Promise((done, fail) => new GLTFLoader().parse(glb, "", done, fail));
    const poses = await posed.poses(walk.id, { end: 1 });
    if (options.map) poses.joints.find((joint) => joint.name === "L_LEG").name = "left leg.001";
    const driver = new PoseDriver(poses, gltf.scene);
    assert.deepEqual(driver.missing, []);
    driver.apply(0.5);
    gltf.scene.updateMatrixWorld(true);
    const wanted = await posed.pose(walk.id, 0.5, { space: "model" });
    wanted.joints.forEach((joint, i) => near(driver.objects[i].matrixWorld.elements, joint.matrix, 1e-3));
  }
  assert.throws(() => new PoseDriver({ width: 16 }, new three.Object3D()), TypeError);
});

test("lists, entries, images, hashes, and where each of them is", async () => {
  const [archive] = (await posed.archives({ q: "samples" })).items;
  const whole = await posed.archiveOf(archive.id), { items } = await posed.entries(archive.id);
  assert.equal(items.length, Math.min(whole.entry_count, 100));
  const [image] = (await posed.images()).items, [skeleton] = (await posed.skeletons()).items, [mesh] = (await posed.meshes()).items;
  const [character] = (await posed.people()).characters;
  if (image) assert.equal((await posed.image(image.id)).width, image.width);
  assert.equal((await posed.hash("a_walk")).fnv32.slice(0, 2), "0x");
  assert.ok((await posed.resolve({ name: "a_walk_loop_x" })).chain.length);
  for (const url of [posed.entryURL(archive.id, 0), image && posed.imageURL(image.id), posed.skeletonURL(skeleton.id), posed.skeletonURL(skeleton.id, "json"), posed.meshURL(mesh.id),
    posed.characterURL(character.id, { clips: walk.id }), posed.pageURL("clip", walk.id), posed.pageURL("archive", archive.id), posed.pageURL("embed", walk.id, { background: "red" })].filter(Boolean))
    assert.equal((await fetch(url)).status, 200, url);
});

test("files are converted without being kept", async () => {
  const bytes = readFileSync(join(samples, "second-life", "walk.anim")), before = (await posed.archives()).total;
  const glb = new Uint8Array(await (await posed.convert(new Blob([bytes]), "glb", { name: "walk.anim", mesh: "auto" })).arrayBuffer());
  assert.equal(new TextDecoder().decode(glb.subarray(0, 4)), "glTF");
  const both = [new File([bytes], "walk.anim"), new File([readFileSync(join(samples, "second-life", "wave.anim"))], "wave.anim")];
  assert.equal((await posed.inspect(both)).clips.length, 2);
  const all = await posed.convertAll(both, "bvh"), text = new TextDecoder("latin1").decode(await all.arrayBuffer());
  assert.equal(all.type, "application/zip");
  for (const name of ["walk.bvh", "wave.bvh", "report.json"]) assert.ok(text.includes(name), name);
  assert.equal((await posed.archives()).total, before);
});

test("an AnimationClip moves a figure as the server says", async () => {
  const three = await import(pathToFileURL(join(modules, "three/build/three.module.js")));
  const { GLTFLoader } = await import(pathToFileURL(join(modules, "three/examples/jsm/loaders/GLTFLoader.js")));
  globalThis.self = globalThis; // the loader asks for it
  const { scene, animations } = await loadFigure(new GLTFLoader(), posed, walk.id, { mesh: "none" });
  assert.equal(animations.length, 1);
  const clip = animationClip(three, await posed.poses(walk.id, { end: 1 }), { name: "walk", all: true });
  assert.ok(clip.validate());
  const mixer = new three.AnimationMixer(scene);
  mixer.clipAction(clip).play();
  mixer.setTime(0.5);
  scene.updateMatrixWorld(true);
  for (const joint of (await posed.pose(walk.id, 0.5, { space: "model" })).joints) near(scene.getObjectByName(threeName(joint.name)).matrixWorld.elements, joint.matrix, 1e-3);
});

test("the types hold", () => {
  writeFileSync(join(folder, "use.ts"), `
import { Posed, PosedError, decodePoses, type Clip, type Poses } from "posed-client";
import { animationClip, loadFigure, PoseDriver, threeName, type Drivable, type Loader, type Makers } from "posed-client/three";
import type { PosedClip } from "posed-client/element";
export async function more<T, C, F>(three: Makers<T, C>, loader: Loader<F>, element: PosedClip): Promise<[C, F]> {
  const posed = new Posed();
  const [clip] = (await posed.inspect(new Blob(), "a")).clips;
  const width: number = (await posed.image((await posed.images()).items[0]!.id)).width;
  const first: number[] | undefined = (await posed.mesh("x")).faces[0], parent: number = (await posed.skeleton("x")).joints[0]!.parent;
  const times: number[] | undefined = (await posed.keys("x")).joints[0]?.rotation?.times;
  const blob: Blob = await posed.convert(new Blob(), "glb", { name: "a" });
  const all: Blob = await posed.convertAll([new File([], "a.zip")], "glb");
  await posed.upload(all, "a", { onProgress: (sent, total) => sent / total });
  element.addEventListener("time", ({ detail }) => detail.time.toFixed(2));
  element.loop = Boolean(width && first && parent && times && blob && clip);
  return [animationClip(three, await posed.poses("x"), { name: "x" }), await loadFigure(loader, posed, "x", { character: "y" })];
}
export async function use(root: Drivable): Promise<number> {
  const posed = new Posed("http://localhost", { token: "x" });
  const clip: Clip = await posed.clip((await posed.clips({ q: "walk" })).items[0]!.id);
  const poses: Poses = await posed.poses(clip.id, { space: "local", end: 1 });
  const driver = new PoseDriver(poses, root);
  driver.apply(0.5);
  for await (const frame of posed.stream(clip.id, { fps: 30 })) if (frame.t > 1) break;
  for (const event of (await posed.events(clip.id)).items) if (event.time > 1) break;
  const [first] = await posed.batch([{ clip: clip.id, t: 0 }]);
  if (first && "error" in first) throw new PosedError(first.error.detail, first.error.status, first.error);
  // @ts-expect-error spaces are "local" and "model"
  await posed.pose(clip.id, 0, { space: "sideways" });
  return poses.sample(0, new Float32Array(poses.stride)).length + threeName("a").length + decodePoses(new ArrayBuffer(8)).stride;
}`);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({
    compilerOptions: { strict: true, noEmit: true, target: "es2022", module: "nodenext", moduleResolution: "nodenext", lib: ["es2023", "dom", "dom.iterable"],
      baseUrl: ".", types: [], paths: { "posed-client": [new URL("posed.d.ts", source).pathname], "posed-client/three": [new URL("three.d.ts", source).pathname],
        "posed-client/element": [new URL("element/element.d.ts", source).pathname] } },
    files: ["use.ts"],
  }));
  try {
    execFileSync(process.execPath, [join(modules, "typescript/bin/tsc"), "-p", folder], { encoding: "utf8" });
  } catch (error) {
    assert.fail(error.stdout);
  }
});

test("the example moves, on another site", async () => {
  const site = createServer((_, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end(readFileSync(new URL("example.html", source)));
  });
  await new Promise((ready) => site.listen(0, "127.0.0.1", ready));
  const origin = `http://127.0.0.1:${site.address().port}`, browser = await startBrowser();
  try {
    await withPage(browser, origin, { hosts: [daemon.origin], expected: [/favicon/, /404/] }, async (page) => {
      await page.goto(`${origin}/?server=${daemon.origin}&q=walk`);
      const seen = async () => decodePNG(await page.locator("canvas").screenshot());
      const blank = await seen();
      assert.equal(blank.width, 480);
      assert.ok(await movement(blank, seen, 20) > 20, "a figure is there");
      assert.ok(await movement(await seen(), seen, 20) > 20, "it moves");
    });
  } finally {
    await browser.close();
    site.close();
  }
});
