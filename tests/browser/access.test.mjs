// For everyone: axe-core finds nothing on any page in light and dark; a phone's screen is enough; the keyboard too.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertAccessible, open, PHONE, settled, stagePixels, startBrowser, withPage } from "./lib/browser.mjs";
import { samples, startDaemon } from "./lib/daemon.mjs";
import { boxOf, difference } from "./lib/pixels.mjs";

let daemon, browser, walk;
before(async () => {
  [daemon, browser] = await Promise.all([startDaemon(samples), startBrowser()]);
  [walk] = await daemon.clips("&name=a2o-walk&format=tso-anim");
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
});

for (const colorScheme of ["light", "dark"]) {
  for (const [kind, device] of [["desk", {}], ["phone", PHONE]]) {
    test(`every page is accessible: ${colorScheme}, ${kind}`, () => withPage(browser, daemon.origin, { colorScheme, ...device, expected: [/404/] }, async (page) => {
      await open(page, `${daemon.origin}/`);
      await assertAccessible(page, "the list");
      await page.getByLabel("Search clips by name").fill("nothing is called so");
      await page.getByText("No clips match").waitFor();
      await assertAccessible(page, "an empty list");
      await open(page, `${daemon.origin}/clip/${walk.id}#t=0.2`);
      await page.getByLabel("Joint").selectOption({ index: 3 });
      await page.locator(".plot img").waitFor();
      await page.getByText("Format-specific data").click();
      await assertAccessible(page, "a clip with a plot");
      await page.getByLabel("Skeleton").selectOption("none");
      await page.getByText("separately, in a grid").waitFor();
      await assertAccessible(page, "joints without hierarchy");
      await open(page, `${daemon.origin}/embed/${walk.id}#t=0.2&autoplay=0`);
      await assertAccessible(page, "the embedded viewer");
      await page.goto(`${daemon.origin}/clip/${"0".repeat(32)}`);
      await page.getByRole("alert").first().waitFor();
      await assertAccessible(page, "a clip that is not there");
      const [character] = (await daemon.get("/v1/characters")).items;
      for (const kind of ["archive", "character"]) {
        await open(page, `${daemon.origin}/${kind}/${kind === "archive" ? character.archive : character.id}`);
        await assertAccessible(page, `the page of one ${kind}`);
      }
    }));
  }
}

test("dark is dark, and light is light", async () => {
  for (const [colorScheme, isDark] of [["light", false], ["dark", true]])
    await withPage(browser, daemon.origin, { colorScheme }, async (page) => {
      for (const path of ["/", `/clip/${walk.id}#t=0`]) {
        await open(page, daemon.origin + path);
        const colour = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
        assert.equal(colour[0] < 128, isDark, path);
      }
      assert.ok(boxOf(await stagePixels(page)), "the figure is seen");
    });
});

test("a phone's screen is enough", () => withPage(browser, daemon.origin, PHONE, async (page) => {
  const fits = async (what) => assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${what} fits the width`);
  await open(page, `${daemon.origin}/`);
  await fits("the list");
  await page.locator(".card a").first().tap();
  await page.locator("html[data-ready=clip]").waitFor({ state: "attached" });
  await fits("a clip");
  await page.getByRole("button", { name: "Pause" }).tap();
  const play = await page.getByRole("button", { name: "Play" }).boundingBox();
  assert.ok(play.y + play.height <= 844, "playing needs no scrolling");
  for (const button of await page.locator(".player button, .bar button, .bar a.quiet").all()) {
    const box = await button.boundingBox();
    assert.ok(box.width >= 24 && box.height >= 24, `${await button.textContent()} can be hit`);
  }
  for (const list of await page.locator(".options select").all())
    assert.ok((await list.boundingBox()).height < 60, "a list to choose from is one line high");
  await page.evaluate(() => scrollTo(0, 0));
  const before = await stagePixels(page), stage = await page.locator(".stage").boundingBox();
  assert.ok(boxOf(before));
  const touch = await page.context().newCDPSession(page); // a finger turns the figure
  const at = (x, y) => [{ x: stage.x + x, y: stage.y + y }];
  await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(60, 60) });
  for (let i = 1; i <= 5; i++) await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(60 + i * 30, 60 + i * 4) });
  await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await settled(page);
  assert.ok(difference(before, await stagePixels(page)) > 200, "a finger turns it");
}));

test("the keyboard alone is enough", () => withPage(browser, daemon.origin, {}, async (page) => {
  await open(page, `${daemon.origin}/`);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
  await page.keyboard.press("Enter");
  const reached = async (test, most = 40) => {
    for (let i = 0; i < most; i++) {
      await page.keyboard.press("Tab");
      if (await page.evaluate(test)) return true;
    }
    return false;
  };
  assert.ok(await reached(() => document.activeElement.matches(".card a")));
  await page.keyboard.press("Enter");
  await page.locator("html[data-ready=clip]").waitFor({ state: "attached" });
  assert.equal(await page.evaluate(() => document.activeElement.id), "content", "the reader begins at the new page");
  assert.ok(await reached(() => document.activeElement.matches(".play")));
  assert.ok(await reached(() => document.activeElement.matches("a.quiet")), "downloads are reached");
}));

test("changes are said to those who do not see them", () => withPage(browser, daemon.origin, {}, async (page) => {
  await open(page, `${daemon.origin}/`);
  await page.getByLabel("Search clips by name").fill("walk");
  const { total } = await daemon.get("/v1/clips?q=walk&limit=1");
  await page.locator("#status", { hasText: total === 1 ? "1 clip" : `${total} clips` }).waitFor({ state: "attached" });
  await open(page, `${daemon.origin}/clip/${walk.id}#t=0.5`);
  assert.match(await page.getByLabel("Time", { exact: true }).getAttribute("aria-valuetext"), /^0\.5 s$/);
  assert.equal(await page.title(), "a2o-walk · posed");
}));
