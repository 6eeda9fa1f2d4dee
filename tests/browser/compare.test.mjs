// Two clips compared: found by name, played in step, and their differences told.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertAccessible, eventually, open, PHONE, startBrowser, withPage } from "./lib/browser.mjs";
import { samples, startDaemon } from "./lib/daemon.mjs";

let daemon, browser, walk, wave;
before(async () => {
  [daemon, browser] = await Promise.all([startDaemon(samples), startBrowser()]);
  [walk] = await daemon.clips("&name=walk&format=sl-anim");
  [wave] = await daemon.clips("&name=wave&format=sl-anim");
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
});

test("from a clip to another, which is found by its name", () => withPage(browser, daemon.origin, { reducedMotion: "reduce", expected: [/413|503/] }, async (page) => { // pictures that a busy machine did not draw in time
  await open(page, `${daemon.origin}/clip/${walk.id}#t=0`);
  await page.getByRole("link", { name: "Compare it with another clip" }).click();
  const others = (await daemon.clips("&format=sl-anim")).length - 1;
  await eventually(async () => assert.equal(await page.locator(".choices .card").count(), others, "those of its game come first"));
  await page.getByLabel("Compare it with").fill("wave");
  await page.locator(`.choices a[href*="${wave.id}"]`).click();
  await page.locator("html[data-ready=compare]").waitFor({ state: "attached" });
  assert.equal(await page.locator("h1").textContent(), "walk and wave");
  assert.equal(new URL(page.url()).searchParams.get("with"), wave.id);
}));

for (const [name, options] of [["desktop", {}], ["phone", { ...PHONE, colorScheme: "dark" }]])
  test(`they move in step, and each joint is told, ${name}`, () => withPage(browser, daemon.origin, { reducedMotion: "reduce", ...options }, async (page) => {
    await open(page, `${daemon.origin}/compare/${walk.id}?with=${wave.id}`);
    await page.getByRole("slider", { name: "Time" }).focus();
    await page.keyboard.press("End");
    const times = () => page.evaluate(() => [...document.querySelectorAll("posed-clip")].map((one) => Number(one.currentTime.toFixed(3))));
    assert.deepEqual(await times(), [walk, wave].map((clip) => Number(clip.duration.toFixed(3))));
    await page.keyboard.press("Home");
    await page.getByRole("button", { name: "Play" }).click();
    await page.waitForFunction(() => [...document.querySelectorAll("posed-clip")].every((one) => one.currentTime > 0.1));
    await page.getByRole("button", { name: "Pause" }).click();
    const { joints } = await daemon.get(`/v1/clips/${walk.id}/diff?with=${wave.id}`);
    await eventually(async () => assert.equal(await page.locator("tbody tr").count(), joints.length));
    const first = [...joints].sort((a, b) => b.rotation_deg.max - a.rotation_deg.max)[0];
    assert.match(await page.locator("tbody tr").first().textContent(), new RegExp(`${first.name}.*${first.rotation_deg.max.toFixed(1)}°`));
    await page.locator("img.plot").evaluate((image) => image.decode());
    await page.screenshot({ path: `${process.env.POSED_PICTURES}/compare-${name}.png`, fullPage: true });
    await assertAccessible(page, name);
  }));

test("a clip that is not there says so", () => withPage(browser, daemon.origin, { expected: [/404/] }, async (page) => {
  await open(page, `${daemon.origin}/compare/${walk.id}?with=${"0".repeat(32)}`);
  await page.getByRole("alert").waitFor();
}));
