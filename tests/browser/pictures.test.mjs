// The pictures in the README, of the sample library alone: OUT/pictures has them anew after each run; those that are
// committed (server/web/pictures) are copies of them.
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { open, settled, startBrowser, withPage } from "./lib/browser.mjs";
import { samples, startDaemon } from "./lib/daemon.mjs";

const MOST_BYTES = 60_000;
const root = new URL("../../", import.meta.url);
let daemon, browser;
before(async () => {
  [daemon, browser] = await Promise.all([startDaemon(samples), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
});

/** A screenshot as WebP, which Chromium takes no screenshots as but draws. */
async function save(page, name) {
  await settled(page);
  const png = (await page.screenshot()).toString("base64");
  const url = await page.evaluate(async (source) => {
    const image = new Image();
    image.src = `data:image/png;base64,${source}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.8);
  }, png);
  const bytes = Buffer.from(url.split(",")[1], "base64");
  assert.equal(bytes.toString("latin1", 8, 12), "WEBP");
  assert.ok(bytes.length < MOST_BYTES, `${name}: ${bytes.length} bytes`);
  writeFileSync(join(process.env.POSED_PICTURES, name), bytes);
}

const small = { viewport: { width: 1100, height: 720 } };

test("the list", () => withPage(browser, daemon.origin, small, async (page) => {
  await open(page, `${daemon.origin}/`);
  for (const picture of await page.locator(".card img").all()) {
    await picture.scrollIntoViewIfNeeded();
    await picture.evaluate((image) => image.decode());
  }
  await page.evaluate(() => scrollTo(0, 0));
  await save(page, "list.webp");
}));

test("a clip, dark, with its body", () => withPage(browser, daemon.origin, { ...small, colorScheme: "dark" }, async (page) => {
  const [clip] = await daemon.clips("&name=a2o-walk&format=tso-anim");
  await open(page, `${daemon.origin}/clip/${clip.id}#t=0.3`);
  await page.evaluate(() => scrollTo(0, 0));
  await save(page, "clip.webp");
}));

test("those of the README are there, and small", () => {
  const readme = readFileSync(new URL("README.md", root), "utf8");
  const shown = [...readme.matchAll(/\((server\/web\/pictures\/[^)]+)\)/g)].map((found) => found[1]);
  assert.ok(shown.length >= 2);
  for (const path of shown) assert.ok(statSync(new URL(path, root)).size < MOST_BYTES, path);
});
