// The list of clips: search, filters, sorting, loading as one scrolls, and the way to a clip and back.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open, startBrowser, withPage } from "./lib/browser.mjs";
import { samples, startDaemon } from "./lib/daemon.mjs";

let daemon, browser;
before(async () => {
  [daemon, browser] = await Promise.all([startDaemon(samples), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
});

const names = (page) => page.locator(".card .name").allTextContents();
const total = async (filter = "") => (await daemon.get(`/v1/clips?limit=1${filter}`)).total;
const counted = (page, count) => page.getByText(count === 1 ? "1 clip" : `${count} clips`, { exact: true }).first().waitFor();

test("shows every clip with its picture", () => withPage(browser, daemon.origin, {}, async (page) => {
  await open(page, `${daemon.origin}/`);
  const count = await total();
  assert.ok(count >= 10);
  await counted(page, count);
  const pictures = page.locator(".card img");
  assert.equal(await pictures.count(), count);
  await page.locator(".card").last().scrollIntoViewIfNeeded();
  await pictures.last().evaluate((image) => image.decode());
  assert.equal(await pictures.last().evaluate((image) => image.naturalWidth), 192);
}));

test("search narrows it, and nothing found says so", () => withPage(browser, daemon.origin, {}, async (page) => {
  await open(page, `${daemon.origin}/`);
  await page.keyboard.press("/");
  await page.keyboard.type("WAVE");
  await counted(page, await total("&q=wave"));
  for (const name of await names(page)) assert.match(name, /wave/i);
  assert.equal(new URL(page.url()).search, "?q=WAVE");
  await page.getByLabel("Search clips by name").fill("no clip is called so");
  await page.getByText("No clips match").waitFor();
}));

test("filters by format and archive, and sorts", () => withPage(browser, daemon.origin, {}, async (page) => {
  await open(page, `${daemon.origin}/`);
  await page.locator("#filter-format").selectOption("sl-anim");
  await counted(page, await total("&format=sl-anim"));
  for (const facts of await page.locator(".card .facts").allTextContents()) assert.match(facts, /^sl-anim/);
  await page.locator("#filter-sort").selectOption("-duration");
  await page.waitForTimeout(300);
  const lengths = (await page.locator(".card .facts").allTextContents()).map((text) => Number(/([\d.]+) s$/.exec(text)[1]));
  assert.deepEqual(lengths, [...lengths].sort((a, b) => b - a));
  await page.locator("#filter-format").selectOption("");
  const archive = (await daemon.get("/v1/archives?limit=100")).items.find((one) => one.format === "far1a" || one.format === "far1b" || one.name.endsWith(".far"));
  await page.locator("#filter-archive").selectOption(archive.id);
  await counted(page, await total(`&archive=${archive.id}`));
  const url = page.url();
  await open(page, url); // the address says it all
  await counted(page, await total(`&archive=${archive.id}`));
  assert.equal(await page.locator("#filter-archive").inputValue(), archive.id);
}));

test("a click opens a clip, and back is where one was", () => withPage(browser, daemon.origin, {}, async (page) => {
  await open(page, `${daemon.origin}/?q=walk`);
  const name = (await names(page))[0];
  await page.locator(".card a").first().click();
  await page.locator("html[data-ready=clip]").waitFor({ state: "attached" });
  assert.equal(await page.locator("h1").textContent(), name);
  assert.match(page.url(), /\/clip\/[0-9a-f]{32}/);
  await page.goBack();
  await page.locator("html[data-ready=catalogue]").waitFor({ state: "attached" });
  assert.equal(await page.getByLabel("Search clips by name").inputValue(), "walk");
  assert.deepEqual(await names(page), (await daemon.clips("&q=walk")).map((clip) => clip.name));
}));

test("what is not there says so", () => withPage(browser, daemon.origin, { expected: [/404/] }, async (page) => {
  for (const id of ["0".repeat(32), "a2o-walk"]) {
    await page.goto(`${daemon.origin}/clip/${id}`);
    await page.getByRole("alert").filter({ hasText: id }).waitFor();
  }
}));
