// Below a prefix: the list, a clip, the way back, the docs and an embedded clip; nothing is asked for outside of it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open, startBrowser, withPage } from "./lib/browser.mjs";
import { samples, startDaemon } from "./lib/daemon.mjs";
import { Posed } from "../../api/client/posed.js";

const PREFIX = "/games/poses";
let daemon, browser;

before(async () => {
  [daemon, browser] = await Promise.all([startDaemon("--base-path", PREFIX, samples), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
});

/** The page's context, and every path that it asked for without the prefix. */
function watched(context) {
  const outside = [];
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol === "http:" && !url.pathname.startsWith(`${PREFIX}/`)) outside.push(url.pathname);
  });
  return outside;
}

test("the page", () => withPage(browser, daemon.origin, {}, async (page, context) => {
  const outside = watched(context);
  await open(page, `${daemon.origin}${PREFIX}/?q=a2o-walk`);
  await page.locator(".card a", { hasText: "a2o-walk" }).first().click();
  await page.locator("html[data-ready]").waitFor({ state: "attached" });
  assert.match(new URL(page.url()).pathname, new RegExp(`^${PREFIX}/clip/[0-9a-f]{32}$`));
  await page.locator(".stage canvas").waitFor();
  const id = page.url().match(/[0-9a-f]{32}/)[0];
  await page.locator(".brand").click();
  await page.locator(".card a").first().waitFor();
  assert.equal(new URL(page.url()).pathname, `${PREFIX}/`);
  await page.reload();
  await page.locator(".card a").first().waitFor();
  await open(page, `${daemon.origin}${PREFIX}/docs`);
  await open(page, `${daemon.origin}${PREFIX}/embed/${id}`);
  assert.deepEqual(outside, []);
}));

test("the client", async () => {
  const posed = new Posed(daemon.origin + PREFIX);
  const names = [];
  for await (const clip of posed.all("clips", { limit: 3 })) names.push(clip.name);
  const { total } = await posed.clips({ limit: 1 });
  assert.equal(names.length, total);
  const clip = await posed.clip((await posed.clips({ limit: 1 })).items[0].id);
  assert.equal((await posed.request(clip.links.pose)).status, 200);
});
