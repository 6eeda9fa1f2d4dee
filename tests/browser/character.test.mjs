// The page of a character that is one of several at a time leads to each of them.
import assert from "node:assert/strict";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { open, startBrowser, withPage } from "./lib/browser.mjs";
import { samples, startDaemon, temporaryFolder } from "./lib/daemon.mjs";

const LIGHT = 0x0b0d0003, DARK = 0x0b0d0005;

function words(...numbers) {
  const bytes = Buffer.alloc(numbers.length * 4);
  numbers.forEach((number, i) => bytes.writeUInt32BE(number, i * 4));
  return bytes;
}

/** A body of The Sims Online, two appearances of it, and an outfit that names them for two tones of skin. */
function writeOutfit(folder) {
  for (const name of ["body.0b0d000100000009.mesh", "body.0b0d00020000000b.bnd", "body.0b0d00030000000c.apr"])
    copyFileSync(join(samples, "sims-online", name), join(folder, name));
  writeFileSync(join(folder, "dusk.0b0d00050000000c.apr"), words(1, 7, 7, 1, 0x0b0d0002, 11));
  writeFileSync(join(folder, "dress.0b0d00040000000d.oft"), words(1, 0, LIGHT, 12, 0, 0, DARK, 12, 0, 18));
}

const folder = temporaryFolder(after);
let daemon, browser;
before(async () => {
  writeOutfit(folder);
  [daemon, browser] = await Promise.all([startDaemon(folder), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
});

test("an outfit leads to its tones, and these to each other and back", () => withPage(browser, daemon.origin, {}, async (page) => {
  const { items } = await daemon.get("/v1/characters");
  const [outfit] = (await daemon.get("/v1/characters?format=tso-oft")).items;
  const { variants } = await daemon.get(`/v1/characters/${outfit.id}`);
  assert.deepEqual(variants.map(({ name }) => name), ["light", "dark"]);
  await open(page, `${daemon.origin}/character/${outfit.id}`);
  await page.getByRole("heading", { name: "Variants" }).waitFor();
  await page.screenshot({ path: `${process.env.POSED_PICTURES}/character-variants.png` });
  await page.getByRole("link", { name: "dark", exact: true }).click();
  await page.waitForURL(`**/character/${variants[1].character}*`);
  await page.locator("html[data-ready=character]").waitFor({ state: "attached" });
  const dark = items.find(({ id }) => id === variants[1].character);
  assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), dark.name);
  assert.equal(await page.getByRole("link", { name: "dark", exact: true }).getAttribute("aria-current"), "page");
  await page.getByRole("link", { name: "light", exact: true }).click();
  await page.waitForURL(`**/character/${variants[0].character}*`);
  await page.getByRole("link", { name: outfit.name, exact: true }).click();
  await page.waitForURL(`**/character/${outfit.id}*`);
  await page.getByRole("heading", { level: 1, name: outfit.name }).waitFor();
}));
