// The view of a clip: ghosts of before and after, curves of a joint with a playhead, a camera that follows, the floor.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assertAccessible, open, PHONE, settled, stagePixels, startBrowser, withPage } from "./lib/browser.mjs";
import { samples, startDaemon, temporaryFolder } from "./lib/daemon.mjs";
import { difference } from "./lib/pixels.mjs";

const folder = join(temporaryFolder(after), "far");
let daemon, browser, walk, runner;

/** A figure of 1.6 m that goes 30 m along X, and turns its head from 0 to 90 degrees. */
function far() {
  const frames = Array.from({ length: 31 }, (_, k) => `${k * 100} 80 0 0 0 0 0 ${k * 3} 0`);
  return `HIERARCHY
ROOT hip
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT head
  {
    OFFSET 0 40 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 40 0
    }
  }
}
MOTION
Frames: ${frames.length}
Frame Time: 0.1
${frames.join("\n")}
`;
}

before(async () => {
  mkdirSync(folder);
  writeFileSync(join(folder, "far.bvh"), far());
  [daemon, browser] = await Promise.all([startDaemon(samples, folder), startBrowser()]);
  [walk] = await daemon.clips("&name=a2o-walk");
  [runner] = await daemon.clips("&name=far");
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
});

const at = (clip, hash, use, options = {}) => withPage(browser, daemon.origin, options, async (page) => {
  await open(page, `${daemon.origin}/clip/${clip.id}${hash}`);
  await use(page);
});
const viewer = (page, ask, value) => page.evaluate(([text, given]) => new Function("viewer", "value", `return ${text}`)(document.querySelector(".stage").viewer, given), [ask, value]);

test("onion skin shows where it was and will be, and is kept", () => at(walk, "#t=0.5&mesh=bones", async (page) => {
  const box = page.getByLabel("Onion skin");
  assert.equal(await box.isChecked(), false);
  const without = await stagePixels(page);
  await page.keyboard.press("o");
  assert.equal(await box.isChecked(), true);
  assert.ok(difference(without, await stagePixels(page)) > 200);
  assert.equal(await viewer(page, "viewer.ghosts.meshes.filter((one) => one.visible).length"), 6);
  await page.keyboard.press("Home"); // nothing was before
  assert.equal(await viewer(page, "viewer.ghosts.meshes.filter((one) => one.visible).length"), 3);
  await page.reload();
  await page.locator("html[data-ready=clip]").waitFor({ state: "attached" });
  assert.equal(await box.isChecked(), true);
  assert.ok(await viewer(page, "Boolean(viewer.ghosts)"));
  await box.uncheck();
  assert.equal(await viewer(page, "viewer.ghosts"), null);
}));

test("curves of a joint: values of the server, and a playhead that moves", () => at(runner, "#t=0", async (page) => {
  const panel = page.locator(".curves");
  assert.equal(await panel.isVisible(), false);
  await page.getByLabel("Joint").selectOption({ label: "head" });
  await panel.waitFor();
  const read = async () => (await panel.locator(".legend span:not(:first-child)").allTextContents()).map(Number);
  const head = () => panel.locator(".head").first().getAttribute("transform");
  const [begin] = [await head()];
  for (const t of [0.5, 1.5, 3]) {
    await page.evaluate((time) => {
      const range = document.querySelector(".time");
      range.value = time;
      range.dispatchEvent(new Event("input"));
    }, t);
    const space = await daemon.get(`/v1/clips/${runner.id}/pose?t=${t}&space=model`);
    const place = space.joints.find((joint) => joint.name === "head").matrix.slice(12, 15);
    const [rx, ry, rz, ...shown] = await read();
    shown.forEach((value, i) => assert.ok(Math.abs(value - place[i]) < 2e-3, `${t}: ${shown} is not ${place}`));
    assert.ok(Math.abs(rx - t * 30) < 0.2 && Math.abs(ry) < 0.1 && Math.abs(rz) < 0.1, `${t}: ${[rx, ry, rz]}`);
  }
  assert.notEqual(await head(), begin);
  await page.getByLabel("Joint").selectOption({ label: "none" });
  await panel.waitFor({ state: "hidden" });
  await page.evaluate(() => scrollTo(0, 0)); // lest the bar at the top lies over the figure
  await settled(page);
  const point = await page.evaluate(() => {
    const { viewer } = document.querySelector(".stage"), { canvas } = viewer;
    const bone = viewer.camera.position.clone().setFromMatrixPosition(viewer.scene.matrixWorld).fromArray(viewer.world, 12);
    bone.y += 0.15;
    bone.project(viewer.camera);
    const box = canvas.getBoundingClientRect();
    return { x: box.left + ((bone.x + 1) / 2) * box.width, y: box.top + ((1 - bone.y) / 2) * box.height };
  });
  await page.mouse.move(point.x, point.y);
  await panel.waitFor();
  assert.equal(await page.locator(".tip").textContent(), "hip");
  assert.equal(await panel.locator("b").textContent(), "hip");
}));

test("who goes far is followed, and stands large in the view all the way", () => at(runner, "#t=0", async (page) => {
  assert.equal(await page.getByLabel("Follow").isChecked(), true);
  const share = () => page.evaluate(() => {
    const { viewer } = document.querySelector(".stage");
    viewer.camera.updateMatrixWorld(); // which drawing does later
    const list = [0, 1].map((i) => viewer.camera.position.clone().fromArray(viewer.world, i * 16 + 12).project(viewer.camera));
    return { high: Math.abs(list[1].y - list[0].y) / 2, x: (list[0].x + list[1].x) / 2 };
  });
  for (const key of ["Home", "End"]) {
    await page.keyboard.press(key);
    const { high, x } = await share();
    assert.ok(high > 0.4 && Math.abs(x) < 0.3, `${key}: ${high} of the height, at ${x}`);
  }
  await page.keyboard.press("c");
  assert.equal(await page.getByLabel("Follow").isChecked(), false);
  assert.ok((await share()).high < 0.2);
  await page.reload();
  await page.locator("html[data-ready=clip]").waitFor({ state: "attached" });
  assert.equal(await page.getByLabel("Follow").isChecked(), false, "what was chosen is kept");
}));

test("who stays is not followed", () => at(walk, "#t=0", async (page) => assert.equal(await page.getByLabel("Follow").isChecked(), false)));

test("the floor has lines, a shadow of the figure, and can be left out", () => at(walk, "#t=0.5", async (page) => {
  const whole = await stagePixels(page);
  await viewer(page, "(viewer.floor.shade.visible = false, viewer.draw())");
  await settled(page);
  const bright = await stagePixels(page);
  assert.ok(difference(whole, bright) > 200, "a shadow");
  await page.keyboard.press("f");
  assert.ok(difference(bright, await stagePixels(page)) > 200, "lines");
  await page.reload();
  await page.locator("html[data-ready=clip]").waitFor({ state: "attached" });
  assert.equal(await page.getByLabel("Floor").isChecked(), false);
}));

for (const [name, options] of [["a desktop", {}], ["a phone, dark", { ...PHONE, colorScheme: "dark" }]])
  test(`all of it on ${name}`, () => at(walk, "#t=0.5", async (page) => {
    await page.getByLabel("Onion skin").check();
    await page.getByLabel("Joint").selectOption({ index: 5 });
    await page.locator(".curves").waitFor();
    const [inner, stage] = [await page.locator(".curves").boundingBox(), await page.locator(".stage").boundingBox()];
    assert.ok(inner.x >= stage.x && inner.x + inner.width <= stage.x + stage.width && inner.y >= stage.y && inner.y + inner.height <= stage.y + stage.height);
    await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: `${process.env.POSED_PICTURES}/view-${name.split(/[ ,]/)[1]}.png` });
    await assertAccessible(page, name);
  }, options));
