// The page of a clip: playing, scrubbing, keys, joints, events, what can be taken away, links that remember.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { eventually, open, settled, stagePixels, startBrowser, withPage } from "./lib/browser.mjs";
import { samples, startDaemon } from "./lib/daemon.mjs";
import { difference, movement } from "./lib/pixels.mjs";

let daemon, browser, walk, events;
before(async () => {
  [daemon, browser] = await Promise.all([startDaemon(samples), startBrowser()]);
  walk = (await daemon.clips("&name=a2o-walk&format=tso-anim"))[0];
  events = (await daemon.get(`/v1/clips/${walk.id}/events`)).items;
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
});

const time = async (page) => Number(await page.getByLabel("Time", { exact: true }).inputValue());
const timeIsNot = (page, one) => page.waitForFunction((before) => Number(document.querySelector("[aria-label=Time]").value) !== before, one);
const atClip = (hash, use, options = {}) => withPage(browser, daemon.origin, options, async (page, context) => {
  await open(page, `${daemon.origin}/clip/${walk.id}${hash}`);
  await use(page, context);
});

test("it plays: time goes on and the picture changes", () => atClip("", async (page) => {
  await page.getByRole("button", { name: "Pause" }).waitFor();
  const first = await stagePixels(page), begin = await time(page);
  await timeIsNot(page, begin);
  assert.ok(await movement(first, () => stagePixels(page), 200) > 200);
  await page.getByRole("button", { name: "Pause" }).click();
  const stopped = await time(page);
  await settled(page);
  assert.equal(await time(page), stopped);
  await page.getByRole("button", { name: "Play" }).click();
  await timeIsNot(page, stopped);
}));

test("at its end it begins anew, or stays when it shall not loop", () => atClip("#t=1", async (page) => {
  await page.getByLabel("Loop").uncheck();
  await page.getByRole("button", { name: "Play" }).click();
  await page.getByRole("button", { name: "Play" }).waitFor();
  assert.ok(Math.abs(await time(page) - walk.duration) < 0.01);
  await page.getByLabel("Loop").check();
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction((end) => Number(document.querySelector("[aria-label=Time]").value) < end, walk.duration - 0.01);
}));

test("scrubbing shows another moment", () => atClip("#t=0", async (page) => {
  const first = await stagePixels(page);
  const track = await page.getByLabel("Time", { exact: true }).boundingBox();
  await page.mouse.click(track.x + track.width / 2, track.y + track.height / 2);
  assert.ok(Math.abs(await time(page) - walk.duration / 2) < walk.duration / 20);
  assert.ok(difference(first, await stagePixels(page)) > 200);
}));

test("every key does what the list of keys says", () => atClip("#t=0.5", async (page) => {
  const frame = 1 / walk.fps;
  const press = (key) => page.keyboard.press(key);
  await press("ArrowRight");
  const after = await time(page);
  assert.ok(after > 0.5 && after <= 0.5 + frame + 1e-3);
  await press("ArrowLeft");
  assert.ok(Math.abs(await time(page) - (after - frame)) < 1e-3);
  await press("Home");
  assert.equal(await time(page), 0);
  await press("End");
  assert.ok(Math.abs(await time(page) - walk.duration) < 1e-3);
  const speed = page.getByLabel("Speed");
  await press("+");
  assert.equal(await speed.inputValue(), "2");
  await press("-");
  await press("-");
  assert.equal(await speed.inputValue(), "0.5");
  for (const [key, label] of [["l", "Loop"], ["b", "Bones"], ["f", "Floor"]]) {
    const box = page.getByLabel(label, { exact: true }), was = await box.isChecked();
    await press(key);
    assert.equal(await box.isChecked(), !was, label);
    await press(key);
    assert.equal(await box.isChecked(), was, label);
  }
  let before = await stagePixels(page);
  for (const key of ["1", "2", "4", "3", "Shift+ArrowLeft", "Shift+ArrowUp", "[", "]"]) {
    await press(key);
    const now = await stagePixels(page);
    assert.ok(difference(before, now) > 100, `${key} changes the view`);
    before = now;
  }
  await press("j");
  assert.notEqual(await page.getByLabel("Joint").inputValue(), "");
  await press("m");
  assert.equal(await page.getByLabel("Body").inputValue(), "Bones");
  await press("m");
  assert.equal(await page.getByLabel("Body").inputValue(), "");
  await press("Space");
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await press("Space");
  await press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "search");
  await page.locator("#content").focus();
  await press("Escape");
  await page.locator("html[data-ready=catalogue]").waitFor({ state: "attached" });
  assert.equal(new URL(page.url()).pathname, "/");
}));

/** Where on the screen a joint's bone is. */
const boneAt = (page, name) => page.evaluate((wanted) => {
  const { viewer } = document.querySelector(".stage");
  const { joints } = viewer.poses, child = joints.findIndex((joint) => joint.name === wanted), { parent } = joints[child];
  const middle = viewer.camera.position.clone().set(...[12, 13, 14].map((k) => (viewer.world[child * 16 + k] * 0.3 + viewer.world[parent * 16 + k] * 0.7)));
  middle.project(viewer.camera);
  const box = viewer.canvas.getBoundingClientRect();
  return { x: box.left + ((middle.x + 1) / 2) * box.width, y: box.top + ((1 - middle.y) / 2) * box.height };
}, name);

test("a joint under the pointer says its name, and a click plots it", () => atClip("#t=0", async (page) => {
  const { x, y } = await boneAt(page, "L_LEG1");
  await page.mouse.move(x, y);
  await page.locator(".tip").waitFor();
  const name = await page.locator(".tip").textContent();
  assert.match(name, /^[A-Z_0-9]+$/);
  await page.mouse.click(x, y);
  const plot = page.getByRole("img", { name: `Curves of ${name}` });
  await plot.evaluate((image) => image.decode());
  assert.ok(await plot.evaluate((image) => image.naturalWidth) > 200);
  assert.equal(await page.getByLabel("Joint").evaluate((list) => list.selectedOptions[0].text), name);
}));

test("events are on the timeline and in a list that leads to them", () => atClip("#t=0.1", async (page) => {
  assert.ok(events.length > 0);
  await eventually(async () => assert.equal(await page.locator(".mark").count(), events.length));
  const last = events[events.length - 1];
  await page.locator(".events button").last().click();
  assert.ok(Math.abs(await time(page) - last.time) < 1e-3);
  assert.match(await page.locator(".events li").last().textContent(), new RegExp(last.type));
}));

test("it says what it is", () => atClip("#t=0", async (page) => {
  const facts = await page.locator(".facts-list").first().textContent();
  for (const fact of [walk.format, String(walk.key_count), String(walk.joint_count), walk.entry]) assert.ok(facts.includes(fact), fact);
  const odd = (await daemon.clips()).find((clip) => clip.warnings.length);
  if (!odd) return;
  await open(page, `${daemon.origin}/clip/${odd.id}#t=0`);
  await page.getByText(odd.warnings[0].message).first().waitFor();
}));

test("a skeleton can be chosen, and none shows joints with their names", () => atClip("#t=0", async (page) => {
  await page.getByLabel("Skeleton").selectOption("none");
  await page.getByText("separately, in a grid").waitFor();
  await settled(page);
  const clip = await daemon.get(`/v1/clips/${walk.id}`);
  await eventually(async () => assert.deepEqual(await page.locator(".labels span").allTextContents(), clip.joints.map((joint) => joint.name)));
  const stage = await page.locator(".stage").boundingBox();
  for (const label of await page.locator(".labels span").all()) {
    const box = await label.boundingBox();
    assert.ok(box.x >= stage.x && box.x + box.width <= stage.x + stage.width && box.y >= stage.y && box.y + box.height <= stage.y + stage.height,
      `${await label.textContent()}: ${JSON.stringify([box, stage])}`);
  }
  const still = await stagePixels(page);
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  assert.ok(difference(still, await stagePixels(page)) > 20, "they turn");
  await page.getByLabel("Skeleton").selectOption("auto");
  await page.locator(".labels span").first().waitFor({ state: "detached" });
}));

test("a link restores the moment, the camera and the skeleton", () => atClip("#t=0.4", async (page) => {
  await page.getByLabel("Skeleton").selectOption(walk.skeleton);
  const stage = await page.locator(".stage").boundingBox();
  await page.mouse.move(stage.x + 200, stage.y + 100);
  await page.mouse.down();
  await page.mouse.move(stage.x + 420, stage.y + 160, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => { // the address is written a moment later
    const state = new URLSearchParams(location.hash.slice(1)), { viewer } = document.querySelector(".stage");
    const at = Number(document.querySelector("[aria-label=Time]").value);
    return state.get("camera") === String(viewer.view) && Math.abs(Number(state.get("t")) - at) < 1e-4 && at > 0.4;
  });
  const url = page.url(), seen = await stagePixels(page), at = await time(page);
  await open(page, `${daemon.origin}/`);
  await open(page, url);
  assert.ok(Math.abs(await time(page) - at) < 1e-3);
  assert.equal(await page.getByLabel("Skeleton").inputValue(), walk.skeleton);
  const again = await stagePixels(page);
  assert.ok(difference(seen, again) < 200, `the same picture: ${difference(seen, again)} pixels`);
}));

test("lines to copy", () => atClip("#t=0", async (page) => {
  for (const [label, wanted] of [["curl", `curl -s "${daemon.origin}/v1/clips/${walk.id}/pose`], ["<img>", "preview.webp"],
    ["<iframe>", `/embed/${walk.id}`], ["<script>", `import { Posed } from "${daemon.origin}/client.js"`]]) {
    await page.getByRole("button", { name: `Copy ${label}` }).click();
    await page.getByRole("button", { name: "Copied" }).first().waitFor();
    assert.ok((await page.evaluate(() => navigator.clipboard.readText())).includes(wanted), label);
  }
}, { permissions: ["clipboard-read", "clipboard-write"] }));

test("playing costs little script and makes no requests", () => atClip("", async (page) => {
  await settled(page);
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.waitForTimeout(1000);
  assert.deepEqual(asked, []);
}));

test("a clip's page that is left gives its graphics context back", () => atClip("", async (page) => {
  const context = await page.evaluateHandle(() => document.querySelector(".stage canvas").getContext("webgl2"));
  assert.equal(await context.evaluate((one) => one.isContextLost()), false);
  await page.keyboard.press("Escape");
  await page.locator("html[data-ready=catalogue]").waitFor({ state: "attached" });
  await settled(page);
  assert.equal(await context.evaluate((one) => one.isContextLost()), true);
}));

for (const [what, id] of [["nobody has", "0".repeat(32)], ["is malformed", "walk"]])
  test(`an id that ${what} is answered with a page that says so`, () => withPage(browser, daemon.origin, { expected: [/404/] }, async (page) => {
    await open(page, `${daemon.origin}/clip/${id}`);
    await page.getByRole("alert").filter({ hasText: id }).waitFor();
    assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), "404 Not Found");
    assert.equal(await page.locator(".stage").count(), 0);
    await page.getByRole("link", { name: "All clips" }).click();
    await page.locator("html[data-ready=catalogue]").waitFor({ state: "attached" });
  }));

test("it plays on somebody else: menu, panel, downloads, link", () => atClip("#t=0.5", async (page) => {
  const own = await stagePixels(page);
  const menu = page.getByLabel("Play on");
  const names = await menu.locator("option").allTextContents();
  assert.equal(names[0], "Own skeleton");
  assert.ok(names.filter((name) => name.endsWith("(built in)")).length >= 2, names.join());
  const avatar = (await daemon.get("/v1/people")).items.find((one) => one.family === "sl");
  await menu.selectOption(avatar.skeleton);
  const fit = page.locator(".fit");
  await fit.getByText("Arms and legs off").waitFor();
  await page.waitForFunction(() => document.querySelector(".stage").viewer.poses.joints.some((joint) => joint.name === "mKneeLeft"));
  assert.ok(difference(own, await stagePixels(page)) > 200);
  await fit.locator("summary").click();
  assert.equal(await fit.getByRole("row", { name: "leftLowerLeg" }).getByRole("cell").allTextContents().then(String), "L_LEG1,mKneeLeft");
  if (process.env.POSED_PICTURES) await page.screenshot({ path: `${process.env.POSED_PICTURES}/play-on.png`, fullPage: true });

  const link = page.getByRole("link", { name: "sl-anim" });
  await link.hover();
  assert.match(await link.getAttribute("href"), new RegExp(`onto=${avatar.skeleton}`), "what is copied from the link is what is shown");
  const [file] = await Promise.all([page.waitForEvent("download"), link.click()]);
  const bytes = await readFile(await file.path());
  const inspected = await (await fetch(`${daemon.origin}/v1/inspect?name=walk.anim`, { method: "POST", body: bytes })).json();
  assert.ok(inspected.verdict.find((one) => one.target === "sl-viewer").accepted);
  // A file of another game is of one of its own people: the avatar's names would mean nothing there.
  const other = page.getByRole("link", { name: "sims3-clip" });
  await other.hover();
  const href = await other.getAttribute("href");
  assert.match(href, /retarget=1/);
  assert.doesNotMatch(href, /onto=/);
  assert.equal((await fetch(`${daemon.origin}${href}`)).status, 200);
  await page.waitForFunction((id) => location.hash.includes(`onto=${id}`), avatar.skeleton);
  await page.reload();
  await page.locator(".fit").getByText("Arms and legs off").waitFor();
  assert.equal(await page.getByLabel("Play on").inputValue(), avatar.skeleton);
  await page.getByLabel("Play on").selectOption("");
  await page.waitForFunction(() => document.querySelector(".stage").viewer.poses.joints.some((joint) => joint.name === "L_LEG1"));
  await eventually(async () => assert.ok(await page.locator(".fit").isHidden()));
}));
