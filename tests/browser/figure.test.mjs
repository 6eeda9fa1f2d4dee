// What is seen of clips of every family: it stands upright, moves, and stays in the frame.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open, stagePixels, startBrowser, withPage } from "./lib/browser.mjs";
import { corpus, samples, startDaemon } from "./lib/daemon.mjs";
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

test("a mesh is shown and moves", () => withPage(browser, daemon.origin, {}, async (page) => {
  const mesh = (await daemon.get("/v1/meshes?format=tso-mesh&limit=1")).items[0];
  const [clip] = await daemon.clips("&name=a2o-walk&format=tso-anim");
  await open(page, `${daemon.origin}/clip/${clip.id}#t=0`);
  await page.getByLabel("Floor").uncheck();
  const bones = boxOf(await stagePixels(page));
  const list = page.getByLabel("Mesh");
  await list.selectOption(mesh.id);
  await page.waitForFunction(() => document.querySelector(".stage").viewer.frames?.frames.every(Boolean));
  assert.equal(await page.getByLabel("Bones").isChecked(), false);
  const first = await stagePixels(page), box = assertInFrame(first, "the mesh");
  assert.ok(box.count > bones.count * 1.3, `a body is thicker than its bones: ${box.count}, ${bones.count}`);
  assert.ok(box.height > box.width * 1.2, "it stands upright");
  await page.getByLabel("Time", { exact: true }).fill(plain(clip.duration / 2));
  assert.ok(difference(first, await stagePixels(page)) > 500, "it moves");
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
    const pictures = await seen(page, clip, [0, 0.5, 0.97].map((share) => clip.duration * share));
    for (const picture of pictures) assertInFrame(picture, `${scale} times, ${travel} away`);
    await page.unroute(/\/poses\?/);
  }
}));
