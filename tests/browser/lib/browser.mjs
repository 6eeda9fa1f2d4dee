// Chromium, and pages that watch themselves: an error on the console or a request to another host fails the test.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { decodePNG } from "./pixels.mjs";

const require = createRequire(`${process.env.POSED_MODULES}/`);
const { chromium } = require("playwright-core");
const axeSource = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const ARGUMENTS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
  "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];

const PATIENCE_MS = Number(process.env.POSED_PATIENCE_MS ?? 60000);
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

export function startBrowser() {
  return chromium.launch({ executablePath: process.env.CHROMIUM, args: ARGUMENTS });
}

/**
 * Runs use(page) in a context of its own. options: those of a context, hosts (origins besides that of the daemon that
 * may be asked), expected (patterns of messages on the console that the test provokes).
 */
export async function withPage(browser, origin, options, use) {
  const { hosts = [], expected = [], ...contextOptions } = options;
  const context = await browser.newContext({ viewport: { width: 1280, height: 1000 }, ...contextOptions });
  context.setDefaultTimeout(PATIENCE_MS);
  const problems = [];
  const allowed = [origin, ...hosts];
  context.on("request", (request) => {
    const url = request.url();
    if (!/^(data|blob|about):/.test(url) && !allowed.includes(new URL(url).origin)) problems.push(`asked for ${url}`);
  });
  context.on("console", (message) => {
    if (message.type() === "error" && !expected.some((pattern) => pattern.test(message.text())))
      problems.push(`console: ${message.text()} (${message.location().url})`);
  });
  context.on("weberror", (error) => problems.push(`uncaught: ${error.error().stack}`));
  try {
    const page = await context.newPage();
    await use(page, context);
  } finally {
    await context.close();
  }
  assert.deepEqual(problems, []);
}

/** Opens a page of ours and waits until it is there. */
export async function open(page, url) {
  await page.goto(url);
  await page.locator("html[data-ready]").waitFor({ state: "attached" });
  await settled(page);
}

/** Repeats a check until it holds, for as long as a page is waited for. Counts and texts of a locator do not wait. */
export async function eventually(check) {
  for (const end = Date.now() + PATIENCE_MS; ; await new Promise((done) => setTimeout(done, 50))) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

/** What was asked to be drawn is drawn. */
export function settled(page) {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));
}

/** What axe-core has to say of the page: it must be nothing. */
export async function assertAccessible(page, what) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const said = violations.map((one) => `${one.id}: ${one.help}\n${one.nodes.map((node) => `    ${node.html.slice(0, 200)} ${node.any[0]?.message ?? ""}`).slice(0, 4).join("\n")}`);
  assert.deepEqual(said, [], what);
}

/** The pixels of the 3D view, seen whole. */
export async function stagePixels(page) {
  await page.evaluate(() => scrollTo(0, 0)); // lest the bar at the top lies over it
  await settled(page);
  return decodePNG(await page.locator(".stage canvas").screenshot());
}
