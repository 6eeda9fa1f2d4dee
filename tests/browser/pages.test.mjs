// The other documents: /embed in a frame of a foreign page, /docs, and who may frame what.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { assertAccessible, eventually, open, PHONE, startBrowser, withPage } from "./lib/browser.mjs";
import { samples, startDaemon } from "./lib/daemon.mjs";
import { boxOf, decodePNG, movement } from "./lib/pixels.mjs";

let daemon, browser, clip, foreign, elsewhere;
before(async () => {
  [daemon, browser] = await Promise.all([startDaemon(samples), startBrowser()]);
  [clip] = await daemon.clips("&name=walk&format=sl-anim");
  foreign = createServer((request, response) => {
    const path = new URL(request.url, "http://localhost").searchParams.get("frame");
    response.setHeader("Content-Type", "text/html");
    response.end(path === null ? "" : `<!doctype html><title>Another site</title>
      <link rel="icon" href="data:,"><p>Another site</p><iframe src="${daemon.origin}${path}" width="480" height="360" title="Animation"></iframe>
      <img src="${daemon.origin}/v1/clips/${clip.id}/preview.png" width="160" height="160" alt="walk">`);
  });
  await new Promise((ready) => foreign.listen(0, "127.0.0.1", ready));
  elsewhere = `http://127.0.0.1:${foreign.address().port}`;
});
after(async () => {
  foreign?.close();
  await browser?.close();
  await daemon?.stop();
});

test("another site shows the viewer in a frame, and a picture", () => withPage(browser, elsewhere, { hosts: [daemon.origin] }, async (page) => {
  await page.goto(`${elsewhere}/?frame=/embed/${clip.id}`);
  const frame = page.frameLocator("iframe");
  await frame.locator("html[data-ready=embed]").waitFor({ state: "attached" });
  await frame.getByRole("button", { name: "Pause" }).waitFor(); // it plays by itself
  const first = decodePNG(await page.locator("iframe").screenshot());
  const next = async () => decodePNG(await page.locator("iframe").screenshot());
  assert.ok(await movement(first, next, 100) > 100, "it moves");
  await frame.getByRole("button", { name: "Pause" }).click();
  assert.equal(await page.getByAltText("walk").evaluate((image) => image.naturalWidth), 320);
}));

test("no other page may be framed", () => withPage(browser, elsewhere, { hosts: [daemon.origin, "null"], expected: [/frame-ancestors/, /Framing/] }, async (page) => {
  for (const path of ["/", `/clip/${clip.id}`, "/docs"]) {
    await page.goto(`${elsewhere}/?frame=${encodeURIComponent(path)}`);
    await page.waitForTimeout(300);
    assert.equal(await page.frameLocator("iframe").locator("html[data-ready]").count(), 0, path);
  }
}));

test("an embedded viewer stands still where the link says so", () => withPage(browser, daemon.origin, {}, async (page) => {
  await open(page, `${daemon.origin}/embed/${clip.id}#autoplay=0&t=0.5`);
  await page.getByRole("button", { name: "Play" }).waitFor();
  assert.equal(Number(await page.getByLabel("Time", { exact: true }).inputValue()), 0.5);
  assert.ok(boxOf(decodePNG(await page.locator(".stage canvas").screenshot())));
}));

test("an archive has a page, which leads to its clips and characters", () => withPage(browser, daemon.origin, {}, async (page) => {
  const [character] = (await daemon.get("/v1/characters")).items;
  const archive = await daemon.get(`/v1/archives/${character.archive}`);
  await open(page, `${daemon.origin}/archive/${archive.id}`);
  assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), archive.name);
  await eventually(async () => assert.equal(await page.locator(".card").count(), Math.min(60, archive.clips.length)));
  assert.equal(await page.title(), `${archive.name} · posed`);
  await page.screenshot({ path: `${process.env.POSED_PICTURES}/archive.png` });
  await page.getByRole("link", { name: character.name, exact: true }).first().click();
  await page.locator("html[data-ready=character]").waitFor({ state: "attached" });
  assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), character.name);
  await page.screenshot({ path: `${process.env.POSED_PICTURES}/character.png` });
  await page.getByRole("link", { name: "Its archive" }).click();
  await page.locator("html[data-ready=archive]").waitFor({ state: "attached" });
  await page.locator(".card a").first().click();
  await page.locator("html[data-ready=clip]").waitFor({ state: "attached" });
  assert.ok(new URL(page.url()).searchParams.get("archive") === archive.id);
}));

for (const [name, options] of [["a desktop", {}], ["a phone, dark", { ...PHONE, colorScheme: "dark" }]])
  test(`a skeleton has a page on ${name}: joints, bones of a person, who wears it`, () => withPage(browser, daemon.origin, options, async (page) => {
    const [character] = (await daemon.get("/v1/characters")).items, { skeleton } = await daemon.get(`/v1/characters/${character.id}`);
    const whole = await daemon.get(`/v1/skeletons/${skeleton}`);
    await open(page, `${daemon.origin}/skeleton/${skeleton}`);
    assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), whole.name);
    assert.equal(await page.locator(".tree button").count(), whole.joints.length);
    assert.ok(boxOf(decodePNG(await page.locator(".stage canvas").screenshot())), "it stands there");
    const foot = page.locator(".tree").getByRole("button", { name: "L_FOOT", exact: true });
    assert.match(await foot.locator("xpath=..").textContent(), /^L_FOOT left foot/);
    await foot.focus();
    await page.keyboard.press("Enter");
    assert.equal(await foot.getAttribute("aria-pressed"), "true");
    assert.equal(await page.evaluate(() => document.querySelector(".stage").viewer.selected), whole.joints.findIndex((joint) => joint.name === "L_FOOT"));
    await page.getByRole("link", { name: character.name, exact: true }).first().waitFor();
    await assertAccessible(page, name);
    await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: `${process.env.POSED_PICTURES}/skeleton-${name.split(/[ ,]/)[1]}.png` });
    await page.getByRole("link", { name: character.name, exact: true }).first().click();
    await page.getByRole("link", { name: "Its skeleton" }).click();
    await page.locator("html[data-ready=skeleton]").waitFor({ state: "attached" });
    await page.goto(`${daemon.origin}/clip/${clip.id}`); // on a skeleton that is built in
    await page.getByRole("link", { name: "its joints" }).click();
    await page.locator(".tree").getByRole("button", { name: "mPelvis", exact: true }).waitFor();
    await page.reload();
    await page.locator(".tree").getByRole("button", { name: "mPelvis", exact: true }).waitFor();
  }));

test("what could not be read is listed with its reason", () => withPage(browser, daemon.origin, {}, async (page) => {
  const good = await (await fetch(`${daemon.origin}/v1/archives/${clip.archive}/entries/0`)).arrayBuffer();
  const form = new FormData();
  form.append("a", new Blob([good.slice(0, 60)]), "broken.anim");
  form.append("b", new Blob([good]), "good.anim");
  const archive = await (await fetch(`${daemon.origin}/v1/archives`, { method: "POST", body: form })).json();
  await open(page, `${daemon.origin}/archive/${archive.id}`);
  await page.getByRole("cell", { name: "broken.anim" }).waitFor();
  await page.getByRole("cell", { name: archive.rejected[0].error.detail }).waitFor();
}));

test("the API's page lists every operation and tries one", () => withPage(browser, daemon.origin, {}, async (page) => {
  await open(page, `${daemon.origin}/docs`);
  const { paths } = await daemon.get("/openapi.json");
  const count = Object.values(paths).flatMap((one) => Object.keys(one)).filter((method) => ["get", "post", "delete", "put"].includes(method)).length;
  await page.locator(".opblock").nth(count - 1).waitFor();
  assert.equal(await page.locator(".opblock").count(), count);
  await page.getByText("/v1/formats", { exact: true }).click();
  await page.getByRole("button", { name: "Try it out" }).click();
  await page.getByRole("button", { name: "Execute" }).click();
  await page.locator(".live-responses-table").waitFor();
  assert.equal((await page.locator(".live-responses-table .response-col_status").nth(1).textContent()).slice(0, 3), "200");
}));

test("the API's page begins with a guide, whose commands and pictures are of this server", () => withPage(browser, daemon.origin, { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
  await open(page, `${daemon.origin}/docs`);
  const lines = await page.locator(".guide-code").allTextContents();
  const asked = lines.flatMap((text) => [...text.matchAll(/curl [^"]*"([^"]+)"/g)].map((found) => found[1]));
  assert.equal(asked.length, 4);
  for (const address of asked) assert.equal((await fetch(address)).status, 200, address);
  const pictures = await page.locator(".guide img").all();
  assert.equal(pictures.length, 3);
  for (const picture of pictures) {
    await picture.scrollIntoViewIfNeeded();
    await picture.evaluate((image) => image.decode());
  }
  await page.getByRole("button", { name: "Copy the pose" }).click();
  await eventually(async () => assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^curl .*\/pose\?t=/));
  await page.screenshot({ path: `${process.env.POSED_PICTURES}/docs.png` });
}));

test("the guide of a server without clips has its words and commands", async () => {
  const empty = await startDaemon();
  try {
    await withPage(browser, empty.origin, PHONE, async (page) => {
      await open(page, `${empty.origin}/docs`);
      assert.equal(await page.locator(".guide-step").count(), 5);
      assert.equal(await page.locator(".guide img").count(), 0);
      await assertAccessible(page, "a phone");
    });
  } finally {
    await empty.stop();
  }
});

for (const colorScheme of ["light", "dark"])
  test(`the API's page is accessible, ${colorScheme}`, () => withPage(browser, daemon.origin, { colorScheme }, async (page) => {
    await open(page, `${daemon.origin}/docs`);
    await assertAccessible(page, "closed");
    await page.getByText("/v1/clips/{id}/pose", { exact: true }).click();
    await page.getByRole("button", { name: "Try it out" }).waitFor();
    await assertAccessible(page, "with an operation opened");
  }));
