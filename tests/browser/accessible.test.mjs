// Every page, in both themes and at both sizes: nothing that axe-core objects to, and nothing wider than the window.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertAccessible, open, PHONE, startBrowser, withPage } from "./lib/browser.mjs";
import { samples, startDaemon } from "./lib/daemon.mjs";

const BUSY = /413|503/; // a picture that a busy machine did not draw in time
let daemon, browser, paths;
before(async () => {
  [daemon, browser] = await Promise.all([startDaemon(samples), startBrowser()]);
  const first = async (kind) => (await daemon.get(`/v1/${kind}?limit=1`)).items[0].id;
  const [walk, wave] = await Promise.all(["walk", "wave"].map(async (name) => (await daemon.clips(`&name=${name}&format=sl-anim`))[0]));
  paths = ["/", "/?q=walk", "/?q=no+clip+is+called+so", `/clip/${walk.id}#t=0`, `/archive/${await first("archives")}`, `/character/${await first("characters")}`,
    `/skeleton/${await first("skeletons")}`, `/compare/${walk.id}`, `/compare/${walk.id}?with=${wave.id}`, `/embed/${walk.id}#autoplay=0`, "/moderation", "/nope", `/clip/${"0".repeat(32)}`];
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
});

for (const [name, options] of [["a desktop, light", { colorScheme: "light" }], ["a desktop, dark", { colorScheme: "dark" }],
  ["a phone, light", { ...PHONE, colorScheme: "light" }], ["a phone, dark", { ...PHONE, colorScheme: "dark" }]])
  test(`every page on ${name}`, () => withPage(browser, daemon.origin, { ...options, reducedMotion: "reduce", expected: [/40[0-9]/, BUSY] }, async (page) => {
    for (const path of paths) {
      if (path === "/moderation" || path === "/nope" || path.startsWith("/clip/0000")) await page.goto(daemon.origin + path);
      else await open(page, daemon.origin + path);
      await page.locator("h1").first().waitFor({ state: "attached" });
      await assertAccessible(page, `${path} on ${name}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `${path} is ${wide} pixels wider than ${name}`);
    }
  }));
