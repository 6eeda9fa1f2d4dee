// Names that are markup, in one archive: of the archive, its files, clips, joints, bones, events. They stay text on every page,
// in every picture, feed and list, and no answer permits scripts that are not files of ours.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { open, settled, startBrowser, withPage } from "./lib/browser.mjs";
import { samples, startDaemon, temporaryFolder } from "./lib/daemon.mjs";

const WALK = "1619453d5774d54f77677eba29595fd7";
const EVIL = [
  `<img src=x onerror="window.hacked=1">`, `"><script>window.hacked=2</script>`, `]]><svg onload=window.hacked=3>`, `' onmouseover='window.hacked=4' x='`,
  `</title></script><script>window.hacked=5</script>`, `--><iframe srcdoc="<script>parent.hacked=6</script>">`, "\u202eexe.<b>bold</b>\u2066", "{{script}}${1}`<%=1%>`",
  "javascript:window.hacked=7", "&lt;img src=x onerror=window.hacked=8&gt;&#60;b>", "\u2028\u2029\u2400\ufeff<b>", `<b>${"long ".repeat(300)}`,
];
const IN_BVH = "<img/src=x/onerror=window.hacked=9>"; // names end at a blank there
const folder = temporaryFolder(after), token = { Authorization: "Bearer secret-of-ann" };
let daemon, browser, archive, clips, evil;

/** A clip of the samples whose every name is another. */
function renamed(clip) {
  const name = (i) => EVIL[i % EVIL.length] + (i < EVIL.length ? "" : i);
  return JSON.stringify({
    ...clip, name: EVIL[0],
    joints: clip.joints.map((joint, i) => ({ ...joint, name: name(i) })),
    events: EVIL.map((text, i) => ({ time: i / 20, type: text, name: text, value: text, joint: name(i) })),
  });
}

const bvh = () => `HIERARCHY
ROOT ${IN_BVH}
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT ]]>"'${IN_BVH}
  {
    OFFSET 0 20 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 8 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.5
${"0 35 0 0 0 0 0 30 0\n".repeat(3)}`;

before(async () => {
  writeFileSync(join(folder, "tokens"), "secret-of-ann name=ann scopes=upload,delete,admin\n");
  [daemon, browser] = await Promise.all([startDaemon("--token-file", join(folder, "tokens"), "--data", join(folder, "data"), samples), startBrowser()]);
  const form = new FormData();
  form.append("clip", new Blob([renamed(await daemon.get(`/v1/clips/${WALK}.json`))]), `${EVIL[0].replaceAll("/", "")}.json`);
  form.append("bvh", new Blob([bvh()]), `${EVIL[6].replaceAll("/", "")}.bvh`);
  form.append("broken", new Blob([readFileSync(join(samples, "second-life", "walk.anim")).subarray(0, 60)]), `${EVIL[1].replaceAll("/", "")}.anim`);
  const answer = await fetch(`${daemon.origin}/v1/archives?name=${encodeURIComponent(EVIL[0])}`, { method: "POST", body: form, headers: token });
  assert.equal(answer.status, 201, await answer.clone().text());
  archive = await answer.json();
  clips = archive.clips;
  assert.equal(clips.length, 2);
  evil = clips.find((clip) => clip.name === EVIL[0]);
  assert.ok(evil, "the clip has kept its name");
  assert.equal((await daemon.get(`/v1/clips/${evil.id}/events`)).items.length, EVIL.length);
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
});

const pages = () => [
  "/", `/?archive=${archive.id}`, `/?q=${encodeURIComponent("onerror")}`, `/?q=${encodeURIComponent(EVIL[1])}`, `/?event=${encodeURIComponent(EVIL[0])}`,
  ...clips.flatMap(({ id }) => [`/clip/${id}`, `/clip/${id}?archive=${archive.id}`, `/embed/${id}`]), `/archive/${archive.id}`,
  ...archive.skeletons.map(({ id }) => `/skeleton/${id}`), `/compare/${clips[0].id}?with=${clips[1].id}`, "/moderation", "/docs",
];

/** What of a document is no text: handlers, scripts that are no files of ours, elements that only a name could have made. */
function harm(origin) {
  const found = [];
  for (const element of document.querySelectorAll("*")) {
    const name = element.localName;
    for (const attribute of element.attributes) {
      if (/^on/i.test(attribute.name)) found.push(`${name} ${attribute.name}`);
      if (/^\s*javascript:/i.test(attribute.value) && /^(href|src|action|xlink:href)$/.test(attribute.name)) found.push(`${name} ${attribute.name}=${attribute.value}`);
      if (attribute.name === "srcdoc") found.push("srcdoc");
    }
    if (name === "script" && !element.src.startsWith(origin) && element.type !== "application/json") found.push("script");
    if (name === "img" && element.getAttribute("src") === "x") found.push("img");
  }
  if (window.hacked !== undefined) found.push(`hacked ${window.hacked}`);
  return found;
}

test("harm would be seen", () => withPage(browser, daemon.origin, {}, async (page) => {
  for (const text of ["<p onclick=1>", "<script>1</script>", "<a href=javascript:1>x</a>", "<iframe srcdoc=x></iframe>"]) {
    await page.setContent(text);
    assert.equal((await page.evaluate(harm, daemon.origin)).length, 1, text);
  }
}));

test("on every page", () => withPage(browser, daemon.origin, { expected: [/40[0-9]|422/] }, async (page) => {
  for (const path of pages()) {
    await page.goto(daemon.origin + path);
    if (path !== "/moderation" && path !== "/docs") await page.locator("html[data-ready]").waitFor({ state: "attached" });
    await settled(page);
    assert.deepEqual(await page.evaluate(harm, daemon.origin), [], path);
  }
  await open(page, `${daemon.origin}/archive/${archive.id}`);
  assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), archive.name);
  await page.goto(`${daemon.origin}/nothing/${encodeURIComponent(EVIL[0])}`);
  assert.deepEqual(await page.evaluate(harm, daemon.origin), [], "an error");
}));

test("on the page of a clip, whatever is pressed", () => withPage(browser, daemon.origin, { expected: [/40[0-9]|422/] }, async (page) => {
  await open(page, `${daemon.origin}/clip/${evil.id}#t=0`);
  assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), EVIL[0]);
  for (let joint = 1; joint <= EVIL.length; joint++) {
    await page.getByLabel("Joint").selectOption({ index: joint });
    await settled(page);
  }
  await page.locator(".events button").last().click();
  await page.locator("#search").fill("onerror");
  await settled(page);
  assert.deepEqual(await page.evaluate(harm, daemon.origin), []);
}));

test("no document permits scripts within it", async () => {
  for (const path of [...pages(), `/nothing/${encodeURIComponent(EVIL[0])}`, `/clip/${"0".repeat(32)}`]) {
    const answer = await fetch(daemon.origin + path, { headers: { Accept: "text/html" } });
    assert.match(answer.headers.get("Content-Type"), /^text\/html/, path);
    const policy = Object.fromEntries(answer.headers.get("Content-Security-Policy").split(";").map((one) => one.trim().split(/ (.*)/s)));
    assert.equal(policy["default-src"], "'none'", path);
    for (const [name, value] of Object.entries(policy))
      assert.ok(!/unsafe-(inline|eval)/.test(value ?? "") || (path === "/docs" && name === "style-src" && !/eval/.test(value)), `${path}: ${name} ${value}`);
    const text = await answer.text();
    for (const [, inner] of text.matchAll(/<script\b[^>]*>([^]*?)<\/script>/g)) assert.equal(inner.trim(), "", path);
  }
});

test("pictures, feeds and lists are whole, and hold no markup of names", () => withPage(browser, daemon.origin, {}, async (page) => {
  await page.goto(`${daemon.origin}/robots.txt`);
  const xml = (await daemon.get(`/v1/clips/${evil.id}`)).joints.slice(0, EVIL.length).map(({ name }) => `/v1/clips/${evil.id}/plot.svg?joint=${encodeURIComponent(name)}`);
  for (const { id } of clips) xml.push(`/v1/clips/${id}/preview.svg`, `/v1/clips/${id}/preview.svg?motion=1`);
  const [{ id: whole }] = clips.filter((clip) => clip !== evil); // which has a skeleton
  xml.push(`/v1/clips/${whole}/diff?with=${whole}&as=svg`);
  for (const path of [...xml, "/sitemap.xml"]) {
    const answer = await fetch(daemon.origin + path), text = await answer.text();
    assert.equal(answer.status, 200, `${path}: ${text}`);
    const found = await page.evaluate((given) => {
      const parsed = new DOMParser().parseFromString(given, "application/xml"), names = [...parsed.querySelectorAll("*")];
      return names.filter((one) => ["parsererror", "script", "img", "iframe", "b", "foreignObject"].includes(one.localName) || [...one.attributes].some(({ name }) => /^on/i.test(name))).map((one) => one.outerHTML.slice(0, 200));
    }, text);
    assert.deepEqual(found, [], path);
  }
  for (const path of ["/v1/clips?limit=1000", "/v1/archives", `/v1/archives/${archive.id}`, `/v1/archives/${archive.id}/entries`, `/v1/clips/${evil.id}.gltf`, "/v1/clips?facets=events,archive"])
    await daemon.get(path); // is JSON
  for (const path of [`/clip/${evil.id}`, `/archive/${archive.id}`]) {
    const card = await daemon.get(`/oembed?url=${encodeURIComponent(daemon.origin + path)}`);
    assert.equal(card.title, path.startsWith("/clip") ? EVIL[0] : archive.name);
    const elements = await page.evaluate((html) => [...new DOMParser().parseFromString(html, "text/html").body.querySelectorAll("*")].map((one) => [one.localName, ...one.getAttributeNames().filter((name) => /^on|srcdoc/.test(name))]), card.html);
    assert.deepEqual(elements, [["iframe"]]);
  }
}));

test("what is told of changes is one line of JSON each", async () => {
  const { body } = await fetch(`${daemon.origin}/v1/changes`, { headers: { "Last-Event-ID": "0" } });
  const reader = body.getReader(), decoder = new TextDecoder();
  let text = "";
  while (!/\ndata: .*\n\n/.test(text)) text += decoder.decode((await reader.read()).value, { stream: true });
  await reader.cancel();
  assert.equal(JSON.parse(/\ndata: (.*)\n\n/.exec(text)[1]).name, archive.name);
});
