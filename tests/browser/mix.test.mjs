// "Mix with other clips" on the page of a clip: clips are picked, moved on the timeline, seen and saved.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { assertAccessible, eventually, open, PHONE, settled, stagePixels, startBrowser, withPage } from "./lib/browser.mjs";
import { samples, startDaemon } from "./lib/daemon.mjs";
import { difference } from "./lib/pixels.mjs";

let daemon, browser, walk;
before(async () => {
  [daemon, browser] = await Promise.all([startDaemon(samples), startBrowser()]);
  walk = (await daemon.clips("&name=walk&format=sl-anim"))[0];
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
});

const frames = (page) => page.locator("html").getAttribute("data-mixed");
const atMix = (use, options = {}) => withPage(browser, daemon.origin, options, async (page) => {
  await open(page, `${daemon.origin}/clip/${walk.id}#t=0`);
  await page.getByText("Mix with other clips").click();
  await page.locator("html[data-mixed]").waitFor({ state: "attached" });
  await use(page);
});
async function add(page, name) {
  const bars = await page.getByRole("slider", { name: /^Start of/ }).count();
  await page.getByLabel("Clip", { exact: true }).fill(name);
  await page.getByRole("slider", { name: /^Start of/ }).nth(bars).waitFor();
}
/** Asks for what the action changes, and waits for the answer and the picture. */
async function mixed(page, action) {
  const [answer] = await Promise.all([page.waitForResponse((one) => one.url().endsWith("/v1/poses")), action()]);
  assert.equal(answer.status(), 200);
  const body = answer.request().postDataJSON().requests[0];
  await settled(page);
  return body;
}

test("clips are added, and the avatar shows them", () => atMix(async (page) => {
  await eventually(async () => assert.equal(await page.getByRole("slider", { name: /^Start of/ }).count(), 1));
  await page.getByRole("button", { name: "Pause" }).click();
  const body = await mixed(page, () => add(page, "wave"));
  assert.equal(body.mix, "sl");
  assert.equal(body.layers.length, 2);
  const time = page.getByLabel("Time", { exact: true });
  await time.fill("1.2");
  const both = await stagePixels(page);
  await mixed(page, () => page.getByRole("button", { name: "Remove wave" }).click());
  await time.fill("1.2");
  assert.ok(difference(both, await stagePixels(page)) > 100, "the wave is not seen");
  assert.ok(await page.getByRole("button", { name: "Remove walk" }).isDisabled());
}));

test("a body stands as the mix has it", () => atMix(async (page) => {
  await mixed(page, () => add(page, "wave"));
  await page.waitForFunction(() => document.querySelector(".stage").viewer.body?.joints);
  for (const t of ["0.4", "1.2", "1.6"]) {
    await page.getByLabel("Time", { exact: true }).fill(t);
    const far = await page.evaluate(() => {
      const { viewer } = document.querySelector(".stage");
      viewer.body.scene.updateMatrixWorld(true);
      return viewer.body.joints.map((node, i) => {
        const [x, y, z] = viewer.world.subarray(i * 16 + 12);
        const at = node.matrixWorld.elements;
        return Math.hypot(at[12] - x, at[13] - y, at[14] - z);
      });
    });
    assert.ok(far.length > 20 && Math.max(...far) < 1e-4, `${Math.max(...far)} m apart at ${t} s`);
  }
  assert.equal(await page.getByLabel("Bones").isChecked(), false);
  await page.getByText("Mix with other clips").click();
  await page.waitForFunction(() => { const { body } = document.querySelector(".stage").viewer; return body && !body.joints; });
}));

test("a bar is moved by keys and by dragging", () => atMix(async (page) => {
  await mixed(page, () => add(page, "wave"));
  const bar = page.getByRole("slider", { name: "Start of wave" });
  const start = async () => Number(await bar.getAttribute("aria-valuenow"));
  const begin = await start();
  await bar.focus();
  const moved = await mixed(page, () => page.keyboard.press("ArrowRight"));
  assert.ok(Math.abs(await start() - begin - 0.1) < 1e-6);
  assert.equal(moved.layers[1].start, await start());
  await mixed(page, () => page.keyboard.press("Home"));
  assert.equal(await start(), 0);
  const box = await bar.boundingBox();
  await mixed(page, async () => {
    await page.mouse.move(box.x + 5, box.y + 5);
    await page.mouse.down();
    await page.mouse.move(box.x + 105, box.y + 5, { steps: 4 });
    await page.mouse.up();
  });
  assert.ok(await start() > 0.1);
}));

test("five at most, cross-faded as well", () => atMix(async (page) => {
  for (const name of ["wave", "idle", "wave", "idle"]) await mixed(page, () => add(page, name));
  assert.ok(await page.getByLabel("Clip", { exact: true }).isDisabled());
  const body = await mixed(page, () => page.getByLabel("How").selectOption("fade"));
  assert.equal(body.crossfade.length, 5);
  assert.deepEqual(body.crossfade.map((one) => one.at), body.crossfade.map((one) => one.at).sort((a, b) => a - b));
}));

test("a mix is saved", () => atMix(async (page) => {
  await mixed(page, () => add(page, "wave"));
  for (const [name, begin] of [[".glb", "glTF"], [".anim", "\u0001\u0000\u0000\u0000"]]) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator(".mix").getByRole("button", { name }).click()]);
    assert.equal(download.suggestedFilename(), `walk-mix${name}`);
    assert.equal(readFileSync(await download.path()).toString("latin1", 0, 4), begin);
  }
}));

test("closing it goes back to the clip", () => atMix(async (page) => {
  await mixed(page, () => add(page, "wave"));
  await page.getByText("Mix with other clips").click();
  await page.locator("html:not([data-mixed])").waitFor({ state: "attached" });
  await page.getByText(`/ ${walk.duration.toFixed(2)} s`).waitFor();
  assert.equal(await frames(page), null);
}));

test("it can be read by anyone, on a phone as well", async () => {
  for (const options of [{}, { ...PHONE, colorScheme: "dark" }]) {
    await atMix(async (page) => {
      await mixed(page, () => add(page, "wave"));
      await assertAccessible(page, "the mix");
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${wide} pixels too wide`);
      await page.locator(".mix").scrollIntoViewIfNeeded();
      await page.screenshot({ path: `${process.env.POSED_PICTURES}/mix${options.isMobile ? "-phone" : ""}.png`, fullPage: true });
    }, options);
  }
});
