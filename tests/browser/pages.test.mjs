// The other documents: /embed in a frame of a foreign page, /docs, and who may frame what.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { assertAccessible, open, startBrowser, withPage } from "./lib/browser.mjs";
import { samples, startDaemon } from "./lib/daemon.mjs";
import { boxOf, decodePNG, difference } from "./lib/pixels.mjs";

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
  await page.waitForTimeout(400);
  assert.ok(difference(first, decodePNG(await page.locator("iframe").screenshot())) > 100, "it moves");
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

for (const colorScheme of ["light", "dark"])
  test(`the API's page is accessible, ${colorScheme}`, () => withPage(browser, daemon.origin, { colorScheme }, async (page) => {
    await open(page, `${daemon.origin}/docs`);
    await assertAccessible(page, "closed");
    await page.getByText("/v1/clips/{id}/pose", { exact: true }).click();
    await page.getByRole("button", { name: "Try it out" }).waitFor();
    await assertAccessible(page, "with an operation opened");
  }));
