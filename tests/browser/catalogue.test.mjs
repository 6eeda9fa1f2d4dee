// The list of clips: search, filters, sorting, loading as one scrolls, and the way to a clip and back.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { assertAccessible, eventually, open, PHONE, settled, startBrowser, withPage } from "./lib/browser.mjs";
import { samples, startDaemon, temporaryFolder } from "./lib/daemon.mjs";

const PAGE = 60; // of the list, as of grid.js
const EASE_IN = 25; // where it is in an .anim whose emote is empty
let daemon, browser;
before(async () => {
  [daemon, browser] = await Promise.all([startDaemon(samples), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
});

const names = (page) => page.locator(".card .name").allTextContents();
const total = async (filter = "") => (await daemon.get(`/v1/clips?limit=1${filter}`)).total;
const counted = (page, count) => page.getByText(count === 1 ? "1 clip" : `${count} clips`, { exact: true }).first().waitFor();

test("shows every clip with its picture", () => withPage(browser, daemon.origin, {}, async (page) => {
  await open(page, `${daemon.origin}/`);
  const count = await total();
  assert.ok(count >= 10);
  await counted(page, count);
  const pictures = page.locator(".card img");
  await eventually(async () => assert.equal(await pictures.count(), count));
  await page.locator(".card").last().scrollIntoViewIfNeeded();
  await pictures.last().evaluate((image) => image.decode());
  assert.equal(await pictures.last().evaluate((image) => image.naturalWidth), 192);
}));

test("the same motion in several files is one card, which says where, and its page leads there", () => withPage(browser, daemon.origin, {}, async (page) => {
  const several = (await daemon.clips()).find((clip) => clip.found_in.length > 1);
  await open(page, `${daemon.origin}/?q=${encodeURIComponent(`"${several.name}"`)}`);
  const badge = page.locator(`.card:has(a[href^="/clip/${several.id}"]) .badge.places`);
  await badge.waitFor();
  assert.equal(await badge.textContent(), `${several.found_in.length} files`);
  for (const { entry } of several.found_in) assert.ok((await badge.getAttribute("title")).includes(entry));
  await open(page, `${daemon.origin}/clip/${several.id}#t=0`);
  for (const { archive, entry } of several.found_in)
    assert.equal(await page.locator(".facts-list").getByRole("link", { name: entry, exact: true }).getAttribute("href"), `/archive/${archive}`);
}));

test("search narrows it, and nothing found says so", () => withPage(browser, daemon.origin, {}, async (page) => {
  await open(page, `${daemon.origin}/`);
  await page.keyboard.press("/");
  await page.keyboard.type("WAVE");
  await counted(page, await total("&q=wave"));
  await eventually(async () => {
    for (const name of await names(page)) assert.match(name, /wave/i);
  });
  assert.equal(new URL(page.url()).search, "?q=WAVE");
  await page.getByLabel("Search clips by name").fill("no clip is called so");
  await page.getByText("No clips match").waitFor();
}));

test("filters by format and archive, and sorts", () => withPage(browser, daemon.origin, {}, async (page) => {
  await open(page, `${daemon.origin}/`);
  const { items } = await daemon.get("/v1/formats"), count = await total("&format=sl-anim");
  const game = items.find((one) => one.id === "sl-anim").title.replace(/ animation$/, "");
  const games = page.getByRole("group", { name: "Game" });
  await games.getByRole("button", { name: `${game} ${count}`, exact: true }).click();
  await counted(page, count);
  await games.locator("button[value=sl-anim][aria-pressed=true]").waitFor();
  await eventually(async () => {
    for (const facts of await page.locator(".card .facts").allTextContents()) assert.ok(facts.startsWith(`${game} · `), facts);
  });
  const orders = () => page.locator("#filter-sort option").allTextContents();
  assert.equal((await orders())[0], "Name", "nothing is searched for, so nothing matches best");
  await page.locator("#filter-sort").selectOption("-duration");
  const wanted = (await daemon.clips("&format=sl-anim&sort=-duration")).map((clip) => clip.name);
  await page.waitForFunction((list) => JSON.stringify([...document.querySelectorAll(".card .name")].map((one) => one.textContent)) === list, JSON.stringify(wanted));
  await games.getByRole("button", { name: "All games" }).click();
  await games.locator("button[value=''][aria-pressed=true]").waitFor();
  const archive = (await daemon.get("/v1/archives?limit=100")).items.find((one) => one.format === "far1a" || one.format === "far1b" || one.name.endsWith(".far"));
  await page.locator("#filter-archive").selectOption(archive.id);
  await counted(page, await total(`&archive=${archive.id}`));
  const url = page.url();
  await open(page, url); // the address says it all
  await counted(page, await total(`&archive=${archive.id}`));
  assert.equal(await page.locator("#filter-archive").inputValue(), archive.id);
  await page.getByLabel("Search clips by name").fill("walk");
  await eventually(async () => assert.deepEqual((await orders()).slice(0, 2), ["Best match", "Name"]));
}));

test("a click opens a clip, and back is where one was", () => withPage(browser, daemon.origin, {}, async (page) => {
  await open(page, `${daemon.origin}/?q=walk`);
  const name = await page.locator(".card .name").first().textContent();
  await page.locator(".card a").first().click();
  await page.locator("html[data-ready=clip]").waitFor({ state: "attached" });
  assert.equal(await page.locator("h1").textContent(), name);
  assert.match(page.url(), /\/clip\/[0-9a-f]{32}/);
  await page.goBack();
  await page.locator("html[data-ready=catalogue]").waitFor({ state: "attached" });
  assert.equal(await page.getByLabel("Search clips by name").inputValue(), "walk");
  const wanted = (await daemon.clips("&q=walk")).map((clip) => clip.name);
  await eventually(async () => assert.deepEqual(await names(page), wanted));
}));

test("what is not there says so", () => withPage(browser, daemon.origin, { expected: [/404/] }, async (page) => {
  for (const id of ["0".repeat(32), "a2o-walk"]) {
    await page.goto(`${daemon.origin}/clip/${id}`);
    await page.getByRole("alert").filter({ hasText: id }).waitFor();
  }
}));

test("versions of a clip are told: of its name and shape in the list, and of other names on its page if they move alike", async () => {
  const folder = temporaryFolder(after), bytes = readFileSync(join(samples, "second-life", "walk.anim"));
  for (const [i, path] of ["walk.anim", "old/walk.anim", "stroll.anim"].entries()) {
    mkdirSync(join(folder, "old"), { recursive: true });
    bytes.writeFloatLE(0.1 + i * 0.1, EASE_IN);
    writeFileSync(join(folder, path), bytes);
  }
  writeFileSync(join(folder, "wave.anim"), readFileSync(join(samples, "second-life", "wave.anim")));
  const own = await startDaemon(folder);
  try {
    await withPage(browser, own.origin, {}, async (page) => {
      await open(page, `${own.origin}/`);
      const badges = page.locator(".badge.alike");
      await eventually(async () => assert.deepEqual(await badges.allTextContents(), ["2 versions", "2 versions"]));
      await badges.first().hover();
      await eventually(async () => assert.match(await badges.first().getAttribute("title"), /walk\.anim/));
      const clip = (await own.clips()).find((one) => one.entry.endsWith("old/walk.anim"));
      await open(page, `${own.origin}/clip/${clip.id}#t=0`);
      const rows = page.locator(".versions li");
      await rows.first().waitFor();
      const told = await rows.evaluateAll((list) => list.map((row) => [row.querySelector("a").title.split("/").pop(), row.querySelector(".what").textContent]));
      assert.deepEqual(told.sort(), [["stroll.anim", "same motion · stroll.anim"], ["walk.anim", "same motion · walk.anim"]]);
      await rows.filter({ hasText: "stroll" }).getByRole("link", { name: /^Compare/ }).click();
      await page.locator("html[data-ready=compare]").waitFor({ state: "attached" });
    });
  } finally {
    await own.stop();
  }
});

test("a version in another archive is told with its name", () => withPage(browser, daemon.origin, {}, async (page) => {
  const [clip] = await daemon.clips("&name=Walk&format=prime-anim");
  const { name } = await daemon.get(`/v1/archives/${clip.archive}`), other = ["metroid-prime-1.pak", "metroid-prime-2.pak"].find((one) => one !== name);
  await open(page, `${daemon.origin}/clip/${clip.id}#t=0`);
  await page.locator(".versions .what", { hasText: `${other}: ` }).waitFor();
}));

test("versions of a clip are told in every order, whichever page of the list they are on", async () => {
  const folder = temporaryFolder(after), bytes = readFileSync(join(samples, "second-life", "walk.anim"));
  const others = Array.from({ length: PAGE - 2 }, (_, i) => `${i % 2 ? "a" : "z"}-${String(i).padStart(2, "0")}.anim`);
  const paths = ["b/walk.anim", "c/walk.anim", ...others, "d/walk.anim", "e/walk.anim"];
  for (const [i, path] of paths.entries()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    bytes.writeFloatLE(i * 0.01, EASE_IN);
    writeFileSync(join(folder, path), bytes);
    utimesSync(join(folder, path), 1e9 + i, 1e9 + i);
  }
  const own = await startDaemon(folder);
  try {
    await withPage(browser, own.origin, {}, async (page) => {
      for (const order of ["name", "newest", "-newest"]) {
        const seen = new Map(), cards = page.locator(".card:not(.ghost)", { hasText: "walk" });
        await open(page, `${own.origin}/?sort=${order}`);
        await page.mouse.move(640, 600);
        await eventually(async () => {
          for (const [href, text] of await cards.evaluateAll((all) => all.map((card) => [card.querySelector("a").href, card.querySelector(".alike")?.textContent]))) seen.set(href, text);
          await page.mouse.wheel(0, 400);
          assert.deepEqual([...seen.values()], Array(4).fill("4 versions"), order);
        });
      }
    });
  } finally {
    await own.stop();
  }
});

/** A folder of that many clips, each a little different. */
function many(count) {
  const folder = join(temporaryFolder(after), "many"), bytes = readFileSync(join(samples, "second-life", "walk.anim"));
  mkdirSync(folder);
  for (let i = 0; i < count; i++) {
    bytes.writeFloatLE(i * 1e-5, EASE_IN);
    writeFileSync(join(folder, `clip-${String(i).padStart(5, "0")}.anim`), bytes);
  }
  return folder;
}

test("facets count, narrow, and are taken back", () => withPage(browser, daemon.origin, {}, async (page) => {
  await open(page, `${daemon.origin}/`);
  const { facets } = await daemon.get("/v1/clips?limit=1&facets=loop,events");
  const loops = facets.loop.find((one) => one.value === true).count, [event] = facets.events;
  await page.locator("#filter-loop option", { hasText: `Loops (${loops})` }).waitFor({ state: "attached" });
  await page.locator("#filter-loop").selectOption("true");
  await counted(page, loops);
  await page.locator("#filter-loop").selectOption("");
  await page.locator("#filter-event").selectOption(event.value);
  await counted(page, event.count);
  assert.equal(new URL(page.url()).search, `?event=${event.value}`);
  await page.getByLabel("Search clips by name").fill("no clip is called so");
  await page.getByRole("button", { name: "Clear search and filters" }).click();
  await counted(page, await total());
  assert.equal(await page.locator("#filter-event").inputValue(), "");
}));

test("a card moves under the pointer and with the focus, unless stillness is wanted", async () => {
  for (const reducedMotion of ["no-preference", "reduce"])
    await withPage(browser, daemon.origin, { reducedMotion }, async (page) => {
      await open(page, `${daemon.origin}/?q=walk`);
      await page.locator(".card a").first().hover();
      if (reducedMotion === "reduce") {
        await settled(page);
        assert.equal(await page.locator(".moving").count(), 0);
        return;
      }
      const strip = page.locator(".moving .strip");
      await strip.waitFor();
      const moved = await strip.evaluate(async (image) => {
        const [animation] = image.getAnimations();
        animation.currentTime = 0.55 * animation.effect.getTiming().duration;
        return [image.naturalWidth / image.naturalHeight, new DOMMatrix(getComputedStyle(image).transform).e / image.clientWidth];
      });
      assert.deepEqual(moved.map((value) => Number(value.toFixed(2))), [12, -0.5]);
      await page.screenshot({ path: `${process.env.POSED_PICTURES}/list-hover.png` });
      await page.mouse.move(0, 0);
      await page.locator(".moving").waitFor({ state: "detached" });
      await page.getByLabel("Search clips by name").focus();
      for (let i = 0; i < 40 && !(await page.evaluate(() => document.activeElement.matches(".card a"))); i++) await page.keyboard.press("Tab");
      await page.locator(".card a:focus").locator(".strip").waitFor();
    });
});

test("a card moves before its body is drawn: its bones are there by the time the pointer is", () => withPage(browser, daemon.origin, {}, async (page) => {
  let release;
  const drawn = new Promise((resolve) => (release = resolve));
  const sketches = [];
  page.on("request", (request) => { if (request.url().includes("/preview.svg?")) sketches.push(request.url()); });
  await page.route(/layout=strip/, async (route) => {
    await drawn;
    await route.continue();
  });
  await open(page, `${daemon.origin}/`);
  const card = page.locator(".card:not(.ghost)").first(), id = /clip\/(\w+)/.exec(await card.locator("a").getAttribute("href"))[1];
  const { x, y } = await card.boundingBox();
  assert.deepEqual(sketches, [], "what nobody comes near is not fetched");
  await page.mouse.move(x + 30, y - 60); // near it
  await eventually(() => assert.ok(sketches.some((url) => url.includes(id))));
  assert.ok(sketches.length < await page.locator(".card:not(.ghost)").count(), "those around the pointer only");
  await page.mouse.move(x + 30, y + 30);
  await card.locator(".moving .sketch").waitFor();
  assert.equal(sketches.filter((url) => url.includes(id)).length, 1);
  await page.screenshot({ path: `${process.env.POSED_PICTURES}/list-sketch.png` });
  release();
  await card.locator(".moving .strip").waitFor();
  assert.equal(await card.locator(".sketch").count(), 0);
  await page.getByLabel("Search clips by name").focus();
  const before = sketches.length;
  for (let i = 0; i < 40 && sketches.length === before; i++) await page.keyboard.press("Tab");
  assert.ok(sketches.length > before, "those beside the focus");
}));

test("the search box works on every page, and suggests", () => withPage(browser, daemon.origin, {}, async (page) => {
  const clip = (await daemon.clips("&name=a2o-walk"))[0];
  for (const path of [`/clip/${clip.id}`, `/archive/${clip.archive}`]) {
    await open(page, daemon.origin + path);
    await page.keyboard.press("/");
    await page.keyboard.type("wav");
    await page.locator("#names option[value=a2o-wave]").waitFor({ state: "attached" });
    await page.keyboard.press("Enter");
    await counted(page, await total("&q=wav"));
    assert.equal(new URL(page.url()).search, "?q=wav");
    await page.goBack();
    await page.locator(`html[data-ready=${path.split("/")[1]}]`).waitFor({ state: "attached" });
  }
}));

test("thousands are a few cards; the place is in the address, and Back returns to it", async () => {
  const COUNT = 2000, large = await startDaemon(many(COUNT));
  try {
    await withPage(browser, large.origin, {}, async (page) => {
      await open(page, `${large.origin}/`);
      await page.getByText(`${COUNT} clips`).first().waitFor();
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight / 2));
      await page.waitForURL(/at=\d+/);
      const at = Number(new URL(page.url()).searchParams.get("at"));
      assert.ok(at > COUNT * 0.4 && at < COUNT * 0.6, `${at}`);
      const name = `clip-${String(at).padStart(5, "0")}`;
      await page.locator(".card .name", { hasText: name }).waitFor();
      assert.ok(await page.locator(".card").count() < 150, "only those in sight exist");
      const before = await page.evaluate(() => scrollY);
      await page.locator(".card", { hasText: name }).locator("a").click();
      await page.locator("html[data-ready=clip]").waitFor({ state: "attached" });
      assert.equal(await page.evaluate(() => scrollY), 0);
      await page.goBack();
      await page.locator(".card .name", { hasText: name }).waitFor();
      assert.equal(await page.evaluate(() => scrollY), before);
      await open(page, `${large.origin}/?at=${at}`); // as a link
      await page.locator(".card .name", { hasText: name }).waitFor();
      assert.ok(Math.abs((await page.evaluate(() => scrollY)) - before) < 400);
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
      await page.locator(".card .name", { hasText: `clip-0${COUNT - 1}` }).waitFor();
    });
  } finally {
    await large.stop();
  }
});

test("markup in names is text", async () => {
  const folder = temporaryFolder(after), evil = `<img src=x onerror=alert(1)>"'&`;
  writeFileSync(join(folder, `${evil}.anim`), readFileSync(join(samples, "second-life", "walk.anim")));
  const odd = await startDaemon(folder);
  try {
    await withPage(browser, odd.origin, {}, async (page) => {
      await open(page, `${odd.origin}/`);
      assert.equal(await page.locator(".card .name").textContent(), evil);
      await page.locator(".card a").click();
      await page.locator("html[data-ready=clip]").waitFor({ state: "attached" });
      assert.equal(await page.locator("h1").textContent(), evil);
      const clip = (await odd.clips())[0];
      await open(page, `${odd.origin}/embed/${clip.id}#autoplay=0`);
      assert.equal(await page.locator("h1").textContent(), evil);
      await open(page, `${odd.origin}/archive/${clip.archive}`);
      assert.equal(await page.locator("img[src=x]").count(), 0);
    });
  } finally {
    await odd.stop();
  }
});

test("while the server is away the page waits, and goes on when it is back", () => withPage(browser, daemon.origin, { expected: [/ERR_FAILED|ERR_INTERNET/] }, async (page) => {
  let away = true;
  await page.route("**/v1/clips?*", (route) => (away ? route.abort() : route.continue()));
  await page.goto(`${daemon.origin}/`);
  await page.getByText("The server cannot be reached").first().waitFor();
  await eventually(async () => assert.ok(await page.locator(".ghost").count() > 5));
  await page.screenshot({ path: `${process.env.POSED_PICTURES}/list-away.png` });
  await assertAccessible(page, "waiting");
  const [tried] = await Promise.all([page.waitForRequest("**/v1/clips?*"), page.getByRole("button", { name: "Try now" }).dispatchEvent("click")]);
  assert.ok(tried);
  away = false; // and without a click it goes on
  await counted(page, await total());
  await eventually(async () => assert.equal(await page.locator(".waiting, .ghost").count(), 0));
}));

for (const [name, options] of [["light", { colorScheme: "light" }], ["dark", { colorScheme: "dark" }], ["phone", { ...PHONE, colorScheme: "dark" }]])
  test(`the list, ${name}`, () => withPage(browser, daemon.origin, options, async (page) => {
    await open(page, `${daemon.origin}/`);
    await page.waitForFunction(() => [...document.querySelectorAll(".card img")].filter((one) => one.getBoundingClientRect().top < innerHeight).every((one) => one.complete && one.naturalWidth));
    await assertAccessible(page, name);
    await page.screenshot({ path: `${process.env.POSED_PICTURES}/list-${name}.png` });
  }));
