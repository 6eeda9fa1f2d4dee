// The bar below the view of a clip: ruler, events, speeds, a part that is repeated, full screen, colours; on a phone too.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertAccessible, open, PHONE, startBrowser, withPage } from "./lib/browser.mjs";
import { samples, startDaemon } from "./lib/daemon.mjs";

let daemon, browser, walk, events;
before(async () => {
  [daemon, browser] = await Promise.all([startDaemon(samples), startBrowser()]);
  [walk] = await daemon.clips("&name=a2o-walk");
  events = (await daemon.get(`/v1/clips/${walk.id}/events`)).items;
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
});

const time = async (page) => Number(await page.getByLabel("Time", { exact: true }).inputValue());
const atClip = (hash, use, options = {}) => withPage(browser, daemon.origin, options, async (page) => {
  await open(page, `${daemon.origin}/clip/${walk.id}${hash}`);
  await use(page);
});
const inside = (box, around) => box.x >= around.x - 1 && box.x + box.width <= around.x + around.width + 1;

test("a ruler counts frames, and says which one is shown", () => atClip("#t=0.5", async (page) => {
  const frames = Math.round(walk.duration * walk.fps), ticks = (await page.locator(".ruler span").allTextContents()).map(Number);
  assert.ok(ticks.length > 2 && ticks.at(-1) <= frames);
  assert.match(await page.locator(".readout").textContent(), new RegExp(`frame ${Math.round(0.5 * walk.fps)} / ${frames}$`));
}));

test("events are inside the timeline, named, and lead to their time", () => atClip("#t=0.1", async (page) => {
  const player = await page.locator(".player").boundingBox();
  for (const event of events) {
    const mark = page.getByRole("button", { name: new RegExp(`^Event at ${Number(event.time.toFixed(2))} s: [^]*${event.type}`) });
    const box = await mark.boundingBox();
    assert.ok(inside(box, player) && box.width >= 24 && box.height >= 24);
    await mark.focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction((wanted) => Math.abs(Number(document.querySelector(".time").value) - wanted) < 1e-3, event.time);
  }
}));

test("a part is repeated from A to B", () => atClip("#t=0.2", async (page) => {
  await page.getByRole("button", { name: /^Set A/ }).click();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  const end = await time(page);
  await page.keyboard.press("r");
  await page.locator(".track .part").waitFor();
  await page.evaluate(() => {
    window.times = [];
    const { viewer } = document.querySelector(".stage"), original = viewer.setTime.bind(viewer);
    viewer.setTime = (t) => { window.times.push(t); original(t); };
  });
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => window.times.some((t, i) => i && t < window.times[i - 1]) && window.times.length > 10);
  const times = await page.evaluate(() => window.times);
  assert.ok(times.every((t) => t >= 0.19 && t <= end + 1e-3), times.join());
  await page.getByRole("button", { name: /^Repeats/ }).click();
  await page.locator(".track .part").waitFor({ state: "hidden" });
}));

test("speed and colours are kept for the next page", () => atClip("#t=0", async (page) => {
  await page.getByLabel("Speed").selectOption("4");
  const dark = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number)[0] < 128);
  assert.equal(await dark(), false);
  await page.getByRole("button", { name: "Colours: as the system" }).click();
  await page.getByRole("button", { name: "Colours: light" }).click();
  assert.equal(await dark(), true);
  await open(page, `${daemon.origin}/clip/${walk.id}#t=0.3`);
  await page.reload();
  await page.locator("html[data-ready=clip]").waitFor({ state: "attached" });
  assert.equal(await page.getByLabel("Speed").inputValue(), "4");
  assert.equal(await dark(), true);
  await page.screenshot({ path: `${process.env.POSED_PICTURES}/player-dark.png` });
  await assertAccessible(page, "chosen dark");
}, { colorScheme: "light" }));

test("on a phone the bar is two rows that stay in sight", () => atClip("#t=0.3", async (page) => {
  const visible = async () => {
    const { y, height } = await page.locator(".player").boundingBox();
    return y >= 0 && y + height <= 845 && height < 150;
  };
  assert.ok(await visible());
  await page.screenshot({ path: `${process.env.POSED_PICTURES}/player-phone.png` });
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  assert.ok(await visible());
  const bar = await page.locator(".player").boundingBox();
  for (const button of await page.locator(".player .buttons > *").all()) assert.ok(inside(await button.boundingBox(), bar), await button.evaluate((one) => one.outerHTML));
  await page.getByRole("button", { name: "Play" }).tap();
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await page.getByRole("button", { name: "Pause" }).tap();
  await assertAccessible(page, "a phone");
}, PHONE));

test("full screen shows the view and the bar", () => atClip("#t=0.3", async (page) => {
  await page.getByRole("button", { name: "Full screen" }).click();
  await page.waitForFunction(() => document.fullscreenElement?.classList.contains("show"));
  assert.ok(await page.locator(".player").isVisible());
  await page.getByRole("button", { name: "Full screen" }).click();
  await page.waitForFunction(() => !document.fullscreenElement);
}));
