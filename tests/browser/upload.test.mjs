// Files given to the page: good, partly broken, broken; by the button and by dropping; and what it wrote, read again.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { assertAccessible, eventually, open, settled, startBrowser, withPage } from "./lib/browser.mjs";
import { corpus, samples, startDaemon, temporaryFolder } from "./lib/daemon.mjs";

const folder = temporaryFolder(after);
const walk = join(samples, "second-life", "walk.anim");
const broken = join(folder, "broken.anim"), zip = join(folder, "mod.zip");
let daemon, browser;

before(async () => {
  writeFileSync(broken, readFileSync(walk).subarray(0, 200));
  writeFileSync(join(folder, "good.anim"), readFileSync(walk));
  execFileSync(process.env.POSED, ["pack", zip, join(folder, "good.anim"), broken]);
  [daemon, browser] = await Promise.all([startDaemon(), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
});

const give = (page, ...files) => page.locator("#upload-input").setInputFiles(files);
const empty = async () => {
  for (const archive of (await daemon.get("/v1/archives?limit=100")).items)
    await fetch(`${daemon.origin}/v1/archives/${archive.id}`, { method: "DELETE" });
};

test("a good file opens as a clip that plays", () => withPage(browser, daemon.origin, {}, async (page) => {
  await empty();
  await open(page, `${daemon.origin}/`);
  await page.getByText("No clips yet").waitFor();
  const chooser = page.waitForEvent("filechooser");
  await page.locator("#upload-button").click();
  await (await chooser).setFiles(walk);
  await page.locator("html[data-ready=clip]").waitFor({ state: "attached" });
  assert.equal(await page.locator("h1").textContent(), "walk");
  assert.equal((await daemon.clips()).length, 1);
}));

test("of a ZIP with a broken file the rest is taken, and the report says what is wrong with it", () => withPage(browser, daemon.origin, {}, async (page) => {
  await empty();
  await open(page, `${daemon.origin}/`);
  await give(page, zip);
  const dialog = page.getByRole("dialog");
  await dialog.getByText("could not be read").waitFor();
  const said = await dialog.textContent();
  assert.match(said, /broken\.anim/);
  assert.match(said, /byte \d+/);
  await assertAccessible(page, "the report");
  await dialog.getByRole("link", { name: "good" }).click();
  await page.locator("html[data-ready=clip]").waitFor({ state: "attached" });
  assert.equal(await page.locator("h1").textContent(), "good");
  await page.goBack(); // and the list knows it
  await page.locator(".card").first().waitFor();
  await eventually(async () => assert.deepEqual(await page.locator(".card .name").allTextContents(), ["good"]));
}));

test("of a broken file it says at which byte and why", () => withPage(browser, daemon.origin, { expected: [/422/] }, async (page) => {
  await empty();
  await open(page, `${daemon.origin}/`);
  await give(page, broken);
  const alert = page.getByRole("dialog").getByRole("alert");
  await alert.waitFor();
  assert.match(await alert.textContent(), /^broken\.anim .*byte \d+: .+/);
  await assertAccessible(page, "a refusal");
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal((await daemon.clips()).length, 0);
}));

test("what is no animation at all is refused in words", () => withPage(browser, daemon.origin, { expected: [/415/] }, async (page) => {
  await open(page, `${daemon.origin}/`);
  const note = join(folder, "note.txt");
  writeFileSync(note, "This is a note.");
  await give(page, note);
  const alert = page.getByRole("dialog").getByRole("alert");
  await alert.waitFor();
  assert.ok((await alert.textContent()).length > 10);
}));

test("what lies beside a clip and is of no format is named", () => withPage(browser, daemon.origin, {}, async (page) => {
  await empty();
  await open(page, `${daemon.origin}/`);
  const note = join(folder, "note.txt"), junk = join(folder, "junk.anim");
  writeFileSync(note, "This is a note.");
  writeFileSync(junk, "This is no animation.");
  await give(page, walk, note, junk);
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Files of unknown formats").waitFor();
  await eventually(async () => assert.deepEqual((await dialog.locator(".rejected li").allTextContents()).sort(), ["junk.anim", "note.txt"]));
  await dialog.getByRole("link", { name: "walk" }).waitFor();
}));

test("where writes need a token the page asks for it, and keeps it for the next", async () => {
  const tokens = join(folder, "tokens");
  writeFileSync(tokens, "of-this-test\n");
  const guarded = await startDaemon("--token-file", tokens);
  try {
    await withPage(browser, guarded.origin, { expected: [/401/, /403/] }, async (page) => {
      await open(page, `${guarded.origin}/`);
      await give(page, walk);
      const dialog = page.getByRole("dialog"), field = dialog.getByLabel("Token");
      await dialog.getByRole("alert").filter({ hasText: "need a token" }).waitFor();
      await assertAccessible(page, "the question for a token");
      await field.fill("another");
      await field.press("Enter");
      await dialog.getByRole("alert").filter({ hasText: "does not grant write access" }).waitFor();
      await field.fill("of-this-test");
      await dialog.getByRole("button", { name: "Upload with token" }).click();
      await page.locator("html[data-ready=clip]").waitFor({ state: "attached" });
      await give(page, join(samples, "second-life", "wave.anim"));
      await page.locator("h1", { hasText: "wave" }).waitFor();
      assert.equal((await guarded.clips()).length, 2);
    });
  } finally {
    await guarded.stop();
  }
});

/** Drops files of the samples on the page. */
async function drop(page, paths) {
  const files = paths.map((path) => ({ name: basename(path), text: readFileSync(path).toString("base64") }));
  const transfer = await page.evaluateHandle((list) => {
    const data = new DataTransfer();
    for (const { name, text } of list) data.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
    return data;
  }, files);
  await page.dispatchEvent("body", "dragenter", { dataTransfer: transfer });
  await page.getByText("Drop archives or animation files").waitFor();
  await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
}

/** As in a browser that runs no module: the server looks. */
const withoutWorkers = (page) => page.addInitScript(() => delete globalThis.Worker);

const online = ["a2o-walk.anim", "adult.skel"].map((name) => join(samples, "sims-online", name));

test("what is dropped is looked at and not kept; uploading is a second step", () => withPage(browser, daemon.origin, {}, async (page) => {
  await empty();
  await withoutWorkers(page);
  await open(page, `${daemon.origin}/`);
  await drop(page, online);
  const dialog = page.getByRole("dialog");
  await dialog.getByText("2 files: 1 clip, 1 skeleton. Nothing is kept").waitFor();
  await dialog.getByRole("button", { name: "Pause" }).waitFor(); // it plays
  await page.screenshot({ path: `${process.env.POSED_PICTURES}/look.png` });
  await assertAccessible(page, "a look");
  assert.equal((await daemon.get("/v1/archives")).total, 0);
  await dialog.getByRole("button", { name: "Upload it" }).click();
  await page.locator("html[data-ready=clip]").waitFor({ state: "attached" });
  assert.equal(await page.locator("h1").textContent(), "a2o-walk");
  const archives = (await daemon.get("/v1/archives")).items;
  assert.equal(archives.length, 1);
  assert.equal((await daemon.clips())[0].skeleton !== null, true);
}));

const withModule = { skip: process.env.POSED_WASM || process.env.CI ? false : "built without libpose.wasm" };

test("what is dropped is read and played on this machine; only uploading sends it", withModule, () => withPage(browser, daemon.origin, {}, async (page) => {
  await empty();
  const sent = [];
  page.on("request", (request) => { if (request.method() === "POST") sent.push(request.url()); });
  await open(page, `${daemon.origin}/`);
  await drop(page, [...online, walk, broken]);
  const dialog = page.getByRole("dialog");
  await dialog.getByText("4 files: 2 clips, 1 skeleton. Nothing leaves your machine").waitFor();
  await dialog.getByRole("button", { name: "Pause" }).waitFor(); // it plays
  assert.match(await dialog.locator(".rejected").textContent(), /broken\.anim.*byte \d+/);
  await dialog.getByRole("button", { name: "walk", exact: true }).click();
  await eventually(async () => assert.equal(await page.locator("#status").textContent(), "walk is shown"));
  await page.screenshot({ path: `${process.env.POSED_PICTURES}/look_local.png` });
  await assertAccessible(page, "a look on this machine");
  await dialog.getByRole("button", { name: "Close" }).click();
  await drop(page, [broken]);
  await dialog.getByRole("alert").filter({ hasText: /byte \d+/ }).waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  assert.deepEqual(sent, []);
  await drop(page, [walk]);
  await dialog.getByRole("button", { name: "Upload it" }).click();
  await page.locator("html[data-ready=clip]").waitFor({ state: "attached" });
  assert.equal(sent.length, 1);
}));

test("what cannot be opened here goes to the server when one says so", withModule, () => withPage(browser, daemon.origin, {}, async (page) => {
  await empty();
  const tar = join(folder, "walk.tar");
  execFileSync("tar", ["-cf", tar, "-C", join(samples, "second-life"), "walk.anim"]);
  await open(page, `${daemon.origin}/`);
  await drop(page, [tar]);
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("alert").filter({ hasText: "not opened in a page" }).waitFor();
  await dialog.getByRole("button", { name: "Let the server look" }).click();
  await dialog.getByText("1 clip. Nothing is kept on the server").waitFor();
  assert.equal((await daemon.get("/v1/archives")).total, 0);
}));

test("of several clips one is chosen; of broken files the reason is said", () => withPage(browser, daemon.origin, { expected: [/422/] }, async (page) => {
  await empty();
  await withoutWorkers(page);
  await open(page, `${daemon.origin}/`);
  let first; // is answered when another clip has been chosen
  await page.route("**/v1/convert?*", (route) => (first ? route.continue() : (first = route)));
  await drop(page, [walk, join(samples, "second-life", "wave.anim"), broken]);
  const dialog = page.getByRole("dialog");
  await dialog.getByText("2 clips").waitFor();
  assert.match(await dialog.locator(".rejected").textContent(), /broken\.anim.*byte \d+/);
  await dialog.getByRole("button", { name: "wave" }).click();
  await dialog.locator("output", { hasText: "/ 2.40 s" }).waitFor();
  await first.continue().catch(() => {}); // the page may not want it any more
  await settled(page);
  await dialog.locator("output", { hasText: "/ 2.40 s" }).waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await drop(page, [broken]);
  await dialog.getByRole("alert").filter({ hasText: /byte \d+/ }).waitFor();
  assert.equal(await dialog.getByRole("button", { name: "Upload it" }).count(), 0);
  assert.equal((await daemon.get("/v1/archives")).total, 0);
}));

test("every format that is offered can be had, and a GLB of it is a clip again", () => withPage(browser, daemon.origin, { acceptDownloads: true, expected: [/422/] }, async (page) => {
  await empty();
  await open(page, `${daemon.origin}/`);
  await give(page, walk);
  await page.locator("html[data-ready=clip]").waitFor({ state: "attached" });
  const id = new URL(page.url()).pathname.split("/").pop();
  const section = page.locator("section", { has: page.getByRole("heading", { name: "Download" }) });
  await section.getByText("The mesh alone").click();
  const labels = await section.getByRole("link").allTextContents();
  const { items } = await daemon.get("/v1/formats");
  for (const format of items.filter((one) => one.write && one.kinds.includes("clip") && !["gltf", "json", "bvh"].includes(one.id)))
    assert.ok(labels.includes(format.id), `${format.id} is offered`);
  let glb;
  assert.ok(["GLB", "glTF", "BVH", "JSON", "WebP", "PNG", "SVG"].every((label) => labels.includes(label)), labels.join());
  for (const label of labels) {
    // What is shown is no mesh of a game, and no joint of the clip has a number as that game's bones have.
    const refusal = label.startsWith("mesh: ") ? "Choose a mesh under Body first." : label === "prime-anim" ? /none of the clip's \d+ joints/ : null;
    if (refusal) {
      await section.getByRole("link", { name: label, exact: true }).click();
      await section.getByText(refusal).waitFor();
      continue;
    }
    const coming = page.waitForEvent("download");
    await section.getByRole("link", { name: label, exact: true }).click();
    const download = await coming;
    assert.match(download.suggestedFilename(), /^walk.*\.\w+$/, label);
    const path = join(folder, `${label}-${download.suggestedFilename()}`);
    await download.saveAs(path);
    assert.ok(readFileSync(path).length > 60, label);
    if (label === "GLB") glb = path;
    if (label === "sims3-clip") await section.getByText(/Warnings: .*loop dropped/).waitFor();
  }
  await give(page, glb);
  await page.waitForURL((url) => url.pathname.startsWith("/clip/") && !url.pathname.includes(id));
  await page.locator("html[data-ready=clip]").waitFor({ state: "attached" });
  const again = await daemon.get(`/v1/clips/${new URL(page.url()).pathname.split("/").pop()}`);
  const first = await daemon.get(`/v1/clips/${id}`);
  assert.equal(again.format, "gltf");
  assert.ok(Math.abs(again.duration - first.duration) < 1e-4);
}));

test("real files are taken and shown", { skip: corpus("sl/bento") ? false : "no corpus" }, () => withPage(browser, daemon.origin, {}, async (page) => {
  const real = [
    ...readdirSync(corpus("sl/bento")).filter((name) => name.endsWith(".anim")).slice(0, 1).map((name) => corpus(`sl/bento/${name}`)),
    ...readdirSync(corpus("sims/tso/anim")).slice(0, 1).map((name) => corpus(`sims/tso/anim/${name}`)),
    ...readdirSync(corpus("sims3/clips")).filter((name) => name.endsWith(".clip")).slice(0, 1).map((name) => corpus(`sims3/clips/${name}`)),
    ...readdirSync(corpus("sl/bvh")).filter((name) => name.endsWith(".bvh")).slice(0, 1).map((name) => corpus(`sl/bvh/${name}`)),
  ];
  assert.equal(real.length, 4);
  for (const file of real) {
    await empty();
    await open(page, `${daemon.origin}/`);
    await give(page, file);
    await page.waitForURL(/\/clip\//);
    await page.locator("html[data-ready=clip]").waitFor({ state: "attached" });
    assert.ok(basename(file).startsWith(await page.locator("h1").textContent()), file);
  }
}));
