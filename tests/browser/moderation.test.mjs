// The page of moderators, by the keyboard: a token, what waits, publishing, refusing; and that it is for everyone.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assertAccessible, eventually, open, PHONE, startBrowser, withPage } from "./lib/browser.mjs";
import { samples, startDaemon, temporaryFolder } from "./lib/daemon.mjs";

const folder = temporaryFolder(after);
const expected = [/40[134]/]; // what the browser says of answers
let daemon, browser;

before(async () => {
  writeFileSync(join(folder, "tokens"), "ann-secret name=ann scopes=upload\nmod-secret name=mod scopes=admin\n");
  [daemon, browser] = await Promise.all([startDaemon("--moderate", "--token-file", join(folder, "tokens")), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
});

async function upload(file, name) {
  const body = readFileSync(join(samples, "second-life", file));
  const answer = await fetch(`${daemon.origin}/v1/archives?name=${encodeURIComponent(name)}`, { method: "POST", body, headers: { Authorization: "Bearer ann-secret" } });
  assert.equal(answer.status, 201);
  return answer.json();
}

const status = async (id) => (await fetch(`${daemon.origin}/v1/archives/${id}`)).status;

async function signIn(page, token) {
  await page.getByLabel("Token").focus();
  await page.keyboard.type(token);
  await page.keyboard.press("Enter");
}

test("publish and refuse by the keyboard", () => withPage(browser, daemon.origin, { expected }, async (page) => {
  const walk = await upload("walk.anim", "walk.anim");
  const wave = await upload("wave.anim", "<b>wave.anim");
  assert.equal(await status(walk.id), 404);
  await open(page, `${daemon.origin}/moderation`);
  await assertAccessible(page, "signing in");
  await signIn(page, "nobody-has-it");
  await page.getByRole("alert").waitFor();
  await signIn(page, "ann-secret");
  await page.getByText("scope admin").waitFor();
  await signIn(page, "mod-secret");
  await page.getByRole("heading", { name: "2 waiting" }).waitFor();
  await eventually(async () => assert.deepEqual(await page.locator(".review h3").allTextContents(), ["<b>wave.anim", "walk.anim"], "newest first"));
  assert.match(await page.locator(".review").first().textContent(), /by ann/);
  for (const name of ["<b>wave", "walk"]) await page.getByRole("img", { name: `Picture of ${name}` }).waitFor();
  await assertAccessible(page, "what waits");
  const first = page.locator(".review").first();
  await first.getByLabel("Reason").focus();
  await page.keyboard.type("not yours");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.locator("#status", { hasText: "wave.anim is deleted" }).waitFor({ state: "attached" });
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Publish walk.anim", "the next one is at hand");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Nothing waits" }).waitFor();
  assert.equal(await status(walk.id), 200);
  assert.equal(await status(wave.id), 404);
  await page.reload(); // the tab keeps the token
  await page.getByRole("heading", { name: "Nothing waits" }).waitFor();
  await page.getByLabel("Uploads").selectOption("published");
  await page.getByRole("button", { name: "Delete walk.anim" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "No uploads" }).waitFor();
  assert.equal(await status(walk.id), 404);
  await page.getByRole("button", { name: "Sign out" }).click();
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
}));

for (const colorScheme of ["light", "dark"])
  test(`for everyone, on a phone: ${colorScheme}`, () => withPage(browser, daemon.origin, { ...PHONE, colorScheme, expected }, async (page) => {
    const { id } = await upload("idle.anim", "idle.anim");
    await open(page, `${daemon.origin}/moderation`);
    await signIn(page, "mod-secret");
    await page.getByRole("img", { name: "Picture of idle" }).waitFor();
    await assertAccessible(page, "moderation");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "it fits");
    await page.getByRole("button", { name: "Refuse idle.anim" }).tap();
    await page.getByRole("heading", { name: "Nothing waits" }).waitFor();
    assert.equal(await status(id), 404);
  }));

test("an upload from the page says that it waits", () => withPage(browser, daemon.origin, { expected }, async (page) => {
  await open(page, `${daemon.origin}/`);
  await page.locator("#upload-input").setInputFiles(join(samples, "second-life", "walk.anim"));
  await page.getByLabel("Token").fill("ann-secret");
  await page.getByRole("button", { name: "Upload with token" }).click();
  await page.getByLabel("Upload", { exact: true }).getByText("once a moderator has published it").waitFor();
}));
