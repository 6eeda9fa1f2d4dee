// Slow networks and servers that are away, on a desktop and a phone: what shows meanwhile, and that it goes on by itself.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertAccessible, eventually, PHONE, startBrowser, withPage } from "./lib/browser.mjs";
import { samples, startDaemon } from "./lib/daemon.mjs";

const SIZES = [["a desktop", {}], ["a phone, dark", { ...PHONE, colorScheme: "dark" }]];
let daemon, browser, walk;
before(async () => {
  [daemon, browser] = await Promise.all([startDaemon(samples), startBrowser()]);
  [walk] = await daemon.clips("&name=walk&format=sl-anim");
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
});

/** Holds back what matches until open() is called: a network that takes as long as the test wants. */
async function hold(page, pattern) {
  let open;
  const opened = new Promise((resolve) => (open = resolve));
  await page.route(pattern, async (route) => {
    await opened;
    await route.continue().catch(() => {}); // it was given up
  });
  return open;
}

for (const [name, options] of SIZES) {
  test(`a slow list: skeleton cards, then cards that do not wait for names, on ${name}`, () => withPage(browser, daemon.origin, options, async (page) => {
    const names = await hold(page, "**/v1/formats"), clips = await hold(page, "**/v1/clips?*limit=60*");
    await page.goto(`${daemon.origin}/?q=walk&format=sl-anim`); // few, so that it is in sight
    await eventually(async () => assert.ok(await page.locator(".ghost").count() >= 4));
    assert.equal(await page.locator(".cards[aria-busy=true]").count(), 1);
    await assertAccessible(page, `waiting, ${name}`);
    await page.screenshot({ path: `${process.env.POSED_PICTURES}/slow-list-${name.split(/[ ,]/)[1]}.png` });
    clips();
    await page.locator("html[data-ready=catalogue]").waitFor({ state: "attached" });
    const facts = page.locator(`.card a[href^="/clip/${walk.id}"] .facts`);
    await facts.waitFor();
    assert.match(await facts.textContent(), /^sl-anim · /);
    names();
    await eventually(async () => assert.match(await facts.textContent(), /^Second Life · /));
  }));

  test(`a slow clip: a spinner in the view; away: it says so and goes on, on ${name}`, () => withPage(browser, daemon.origin, { ...options, expected: [/ERR_FAILED|ERR_INTERNET/] }, async (page) => {
    const poses = await hold(page, "**/poses?*");
    let away = true;
    await page.route(`**/v1/clips/${walk.id}`, (route) => (away ? route.abort() : route.continue()));
    await page.goto(`${daemon.origin}/clip/${walk.id}#t=0`);
    await page.getByText("The server cannot be reached").first().waitFor();
    assert.equal(await page.locator(".stage[aria-busy=true] .spinner").count(), 1);
    await assertAccessible(page, `away, ${name}`);
    away = false;
    await page.locator(".waiting").getByRole("button", { name: "Try now" }).dispatchEvent("click").catch(() => {}); // it may have gone on by itself
    await page.locator(".player").waitFor();
    assert.equal(await page.locator(".waiting").count(), 0);
    assert.equal(await page.locator(".stage[aria-busy=true] .spinner").count(), 1, "poses are still on their way");
    poses();
    await page.locator("html[data-ready=clip]").waitFor({ state: "attached" });
    assert.equal(await page.locator(".stage .spinner").count(), 0);
  }));
}

test("a picture that a busy server did not draw is asked for again", () => withPage(browser, daemon.origin, { expected: [/503/] }, async (page) => {
  let refused = 0;
  await page.route(`**/v1/clips/${walk.id}/preview.png?*`, (route) => (refused++ ? route.continue() : route.fulfill({ status: 503 })));
  await page.goto(`${daemon.origin}/?q=walk&format=sl-anim`);
  const picture = page.locator(`.card a[href^="/clip/${walk.id}"] .picture`);
  await picture.waitFor();
  await eventually(async () => assert.equal(await picture.locator("img").evaluate((image) => image.naturalWidth), 192));
  assert.equal(await picture.evaluate((one) => one.classList.contains("loading")), false);
  assert.ok(refused > 1);
}));

test("an archive and a skeleton wait for a server that is away as well", () => withPage(browser, daemon.origin, { expected: [/ERR_FAILED|ERR_INTERNET/] }, async (page) => {
  for (const [kind, id] of [["archive", walk.archive], ["skeleton", (await daemon.get("/v1/skeletons?limit=1")).items[0].id]]) {
    let away = true;
    await page.unrouteAll();
    await page.route(`**/v1/${kind}s/${id}`, (route) => (away ? route.abort() : route.continue()));
    await page.goto(`${daemon.origin}/${kind}/${id}`);
    await page.getByText("The server cannot be reached").first().waitFor();
    away = false;
    await page.locator(`html[data-ready=${kind}]`).waitFor({ state: "attached" });
    assert.equal(await page.getByRole("alert").count(), 0);
    assert.notEqual(await page.locator("h1").textContent(), "…");
  }
}));
