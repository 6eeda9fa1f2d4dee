// What a frame costs in script where a large body plays. Told and not asserted: machines differ.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { open, startBrowser, withPage } from "./lib/browser.mjs";
import { startDaemon, temporaryFolder } from "./lib/daemon.mjs";
import { glbFigure } from "./lib/glb.mjs";

const JOINTS = 159, TRIANGLES = 10_000, FRAMES = 30;
const folder = temporaryFolder(after);
let daemon, browser;

before(async () => {
  writeFileSync(join(folder, "tube.glb"), glbFigure({ joints: JOINTS, triangles: TRIANGLES, seconds: 2, fps: 60 }));
  [daemon, browser] = await Promise.all([startDaemon(folder), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
});

/** Plays that many frames. What they cost, in milliseconds: all script, as the browser counts it. */
async function playedFrames(page, context, count) {
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable");
  const spent = async () => Object.fromEntries((await session.send("Performance.getMetrics")).metrics.map(({ name, value }) => [name, value * 1000]));
  const begin = await spent();
  const drawn = await page.evaluate((frames) => new Promise((done) => {
    const { renderer } = document.querySelector(".stage").viewer, first = renderer.info.render.frame;
    const look = () => (renderer.info.render.frame - first < frames ? requestAnimationFrame(look) : done(renderer.info.render.frame - first));
    look();
  }), count);
  const end = await spent();
  return { drawn, script: (end.ScriptDuration - begin.ScriptDuration) / drawn, task: (end.TaskDuration - begin.TaskDuration) / drawn };
}

test("script of a frame of a body", (t) => withPage(browser, daemon.origin, {}, async (page, context) => {
  const [clip] = await daemon.clips();
  await open(page, `${daemon.origin}/clip/${clip.id}#t=0`);
  const shown = await page.evaluate(() => {
    const { viewer } = document.querySelector(".stage");
    const triangles = viewer.body.meshes.reduce((sum, { geometry }) => sum + geometry.index.count / 3, 0);
    return { joints: viewer.poses.joints.length, bones: viewer.body.bones.length, triangles };
  });
  assert.ok(shown.joints >= JOINTS && shown.bones >= JOINTS && shown.triangles >= TRIANGLES, JSON.stringify(shown));
  await page.getByRole("button", { name: "Play" }).click();
  const { drawn, script, task } = await playedFrames(page, context, FRAMES);
  t.diagnostic(`${shown.triangles} triangles, ${shown.bones} bones: ${script.toFixed(2)} ms of script a frame (${task.toFixed(2)} ms of the thread) over ${drawn} frames`);
  assert.ok(drawn >= FRAMES && script > 0);
}));
