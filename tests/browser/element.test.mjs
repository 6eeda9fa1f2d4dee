// <posed-clip> on another site's page, twelve on one, and /embed with the page around it in control.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { assertAccessible, eventually, open, PHONE, settled, startBrowser, withPage } from "./lib/browser.mjs";
import { samples, startDaemon } from "./lib/daemon.mjs";
import { boxOf, decodePNG, difference } from "./lib/pixels.mjs";

const SIZE = 12 * 1024;
let daemon, browser, site, elsewhere, clips, people;
const pages = new Map();

before(async () => {
  [daemon, browser] = await Promise.all([startDaemon(samples), startBrowser()]);
  clips = Object.fromEntries((await daemon.clips()).map((clip) => [`${clip.format} ${clip.name}`, clip]));
  people = await daemon.get("/v1/people");
  site = createServer((request, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end(`<!doctype html><html lang="en"><title>Another site</title><link rel="icon" href="data:,"><body><main><h1>Another site</h1>
      ${pages.get(request.url) ?? ""}</main></body></html>`);
  });
  await new Promise((ready) => site.listen(0, "127.0.0.1", ready));
  elsewhere = `http://127.0.0.1:${site.address().port}`;
});
after(async () => {
  site?.close();
  await browser?.close();
  await daemon?.stop();
});

/** Shows a body of HTML on the other site; what the elements tell is kept in `told`. */
async function show(page, body) {
  const path = `/${pages.size}`;
  pages.set(path, `${body}<script type="module" src="${daemon.origin}/posed-clip.js"></script>`);
  await page.addInitScript(() => {
    window.told = [];
    for (const type of ["ready", "error", "time"])
      addEventListener(type, (event) => event.target.matches?.("posed-clip") && window.told.push([event.target.id, type, event.detail]), true);
    const original = HTMLCanvasElement.prototype.getContext;
    window.contexts = 0;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
      if (/webgl/.test(kind) && !this.counted) (this.counted = true), window.contexts++;
      return original.call(this, kind, ...rest);
    };
  });
  await page.goto(elsewhere + path);
}

const told = (page, type, count = 1) => page.waitForFunction(([kind, wanted]) => window.told.filter((one) => one[1] === kind).length >= wanted, [type, count]);
const on = (options, use) => withPage(browser, elsewhere, { hosts: [daemon.origin], ...options }, use);
const tag = (clip, more = "") => `<posed-clip id="one" src="${daemon.origin}/clip/${clip.id}" ${more}></posed-clip>`;
const picture = async (page) => {
  await settled(page);
  return decodePNG(await page.locator("posed-clip").first().screenshot());
};

test("the element is small, and what it loads names the licence of its parts", async () => {
  const source = await (await fetch(`${daemon.origin}/posed-clip.js`)).text();
  const size = gzipSync(source).length;
  assert.ok(size <= SIZE, `${size} bytes`);
  assert.match(source, /MIT License/);
  const stage = /"\.(\/assets\/stage-[^"]+)"/.exec(source)[1];
  const parts = await (await fetch(daemon.origin + stage)).text();
  const all = await Promise.all([...parts.matchAll(/"\.\/(part-[^"]+)"/g)].map(async ([, name]) => (await fetch(`${daemon.origin}/assets/${name}`)).text()));
  assert.match([parts, ...all].join(""), /@license[\s\S]{0,40}Three\.js Authors[\s\S]{0,40}MIT/);
});

test("it plays, tells its time, and obeys", () => on({}, async (page) => {
  await show(page, tag(clips["sl-anim walk"], "autoplay loop controls"));
  await told(page, "ready");
  await told(page, "time", 5);
  const name = await page.evaluate(() => window.told.find((one) => one[1] === "ready")[2].clip.name);
  assert.equal(name, "walk");
  await page.getByRole("button", { name: "Pause" }).click();
  await page.evaluate(() => (document.querySelector("#one").currentTime = 0.2));
  const first = await picture(page);
  assert.ok(boxOf(first).height > 320 * 0.6, "the figure fills the picture");
  await page.evaluate(() => (document.querySelector("#one").currentTime = 0.5));
  assert.ok(difference(first, await picture(page)) > 200, "it moves");
  assert.match(await page.locator("posed-clip output").textContent(), /^0\.50 \/ 1\.07 s$/);
  await page.getByLabel("Time", { exact: true }).focus();
  await page.keyboard.press("Home");
  await page.waitForFunction(() => document.querySelector("#one").currentTime === 0);
  await assertAccessible(page, "the element");
}));

test("without loop it ends; it does not begin by itself where motion is not wanted", () => on({ reducedMotion: "reduce" }, async (page) => {
  await show(page, tag(clips["sl-anim walk"], "autoplay"));
  await told(page, "ready");
  assert.equal(await page.evaluate(() => document.querySelector("#one").paused), true);
  assert.equal(await page.locator("posed-clip .player").isVisible(), false);
  await page.evaluate(() => document.querySelector("#one").play());
  await page.waitForFunction(() => document.querySelector("#one").paused && document.querySelector("#one").currentTime > 1);
}));

test("on a character, on another skeleton, on a colour", () => on({}, async (page) => {
  const [character] = people.characters;
  await show(page, `<posed-clip id="one" src="${daemon.origin}/clip/${clips["tso-anim a2o-walk"].id}" character="${character.id}" background="#ff0000"></posed-clip>
    <posed-clip id="two" src="${daemon.origin}/v1/clips/${clips["sl-anim walk"].id}" character="${character.id}"></posed-clip>
    <posed-clip id="three" src="${clips["sl-anim walk"].id}" onto="${character.skeleton}"></posed-clip>
    <posed-clip id="four" src="${daemon.origin}/v1/named/samples/a2o-walk"></posed-clip>`);
  await told(page, "ready", 4);
  const { data, channels, width } = await picture(page), inside = (width * 5 + 5) * channels;
  assert.deepEqual([...data.subarray(inside, inside + 3)], [255, 0, 0]);
  await page.screenshot({ path: `${process.env.POSED_PICTURES}/element-characters.png` });
}));

test("what it cannot show it says", () => on({ expected: [/404/] }, async (page) => {
  await show(page, `<posed-clip id="one" src="${daemon.origin}/clip/${"0".repeat(32)}"></posed-clip><posed-clip id="two" src="/nowhere"></posed-clip>`);
  await told(page, "error", 2);
  const errors = await page.evaluate(() => Object.fromEntries(window.told.filter((one) => one[1] === "error").map((one) => [one[0], one[2]])));
  assert.equal(errors.one.problem.status, 404);
  assert.match(errors.two.message, /does not name a clip/);
  await eventually(async () => assert.equal(await page.getByRole("alert").count(), 2));
  await page.evaluate((id) => (document.querySelector("#two").src = id), clips["sl-anim walk"].id); // and begins anew
  await told(page, "ready");
  await eventually(async () => assert.equal(await page.getByRole("alert").count(), 1));
}));

test("twelve on one page share one context, and those out of sight are not fetched", () => on({ viewport: { width: 1010, height: 760 } }, async (page) => {
  const all = Object.values(clips).slice(0, 12);
  const row = all.map((clip, i) => `<posed-clip id="clip${i}" src="${daemon.origin}/clip/${clip.id}" autoplay loop style="width: 240px; height: 240px"></posed-clip>`);
  await show(page, `${row.join("")}<p style="height: 3000px"></p><posed-clip id="far" src="${daemon.origin}/clip/${all[0].id}"></posed-clip>`);
  await told(page, "ready", 12);
  await page.waitForFunction(() => new Set(window.told.filter((one) => one[1] === "time").map((one) => one[0])).size === 12);
  await page.waitForFunction(() => [...document.querySelectorAll("posed-clip:not(#far)")].every((one) => one.shadowRoot.querySelector(".poster").hidden));
  await page.screenshot({ path: `${process.env.POSED_PICTURES}/element-twelve.png` });
  assert.equal(await page.evaluate(() => window.contexts), 1);
  assert.equal(await page.evaluate(() => document.querySelector("#far").clip), null);
  for (const one of await page.locator("posed-clip:not(#far)").all()) assert.ok(boxOf(decodePNG(await one.screenshot())), "each is drawn");
  await page.locator("#far").scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelector("#far").clip);
  const before = await page.evaluate(() => window.told.length);
  await settled(page);
  await settled(page);
  assert.equal(await page.evaluate((from) => window.told.slice(from).filter((one) => one[0] !== "far").length, before), 0, "those out of sight stand still");
  await page.evaluate(() => document.querySelectorAll("posed-clip").forEach((one) => one.remove()));
}));

test("/embed is controlled by the page around it, and tells it what happens", () => on({}, async (page) => {
  const { id } = clips["sl-anim walk"], [character] = people.characters;
  pages.set("/frame", `<iframe src="${daemon.origin}/embed/${id}?character=${character.id}&background=transparent#autoplay=0" width="480" height="360" title="Animation"></iframe>
    <script>window.said = []; addEventListener("message", (event) => window.said.push(event.data));</script>`);
  await page.goto(`${elsewhere}/frame`);
  await page.waitForFunction(() => window.said.some((one) => one.posed === "ready"));
  const send = (message) => page.evaluate((data) => document.querySelector("iframe").contentWindow.postMessage(data, "*"), message);
  await send({ posed: "seek", t: 0.5 });
  await page.waitForFunction(() => window.said.some((one) => one.posed === "time" && one.t === 0.5));
  await send({ posed: "play" });
  await page.frameLocator("iframe").getByRole("button", { name: "Pause" }).waitFor();
  await page.waitForFunction(() => window.said.some((one) => one.posed === "time" && one.t > 0.5));
  await send({ posed: "pause" });
  await page.frameLocator("iframe").getByRole("button", { name: "Play" }).waitFor();
  await send({ posed: "constructor" });
  await send(null);
  await page.screenshot({ path: `${process.env.POSED_PICTURES}/embed-frame.png` });
}));

test("/embed says what is wrong with its address", () => on({ expected: [/404/] }, async (page) => {
  for (const address of [`/embed/${"0".repeat(32)}`, `/embed/${clips["sl-anim walk"].id}?character=nobody`]) {
    await open(page, daemon.origin + address);
    await page.getByRole("alert").waitFor();
  }
}));

for (const [name, options] of [["a desktop, light", { colorScheme: "light" }], ["a phone, dark", { ...PHONE, colorScheme: "dark" }]])
  test(`/embed on ${name}`, () => on(options, async (page) => {
    await open(page, `${daemon.origin}/embed/${clips["sl-anim walk"].id}#autoplay=0&t=0.2`);
    await page.waitForFunction(() => document.querySelector("posed-clip").shadowRoot.querySelector(".poster").hidden);
    await page.screenshot({ path: `${process.env.POSED_PICTURES}/embed-${options.colorScheme}.png` });
    await assertAccessible(page, name);
  }));
