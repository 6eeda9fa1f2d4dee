// libpose as WebAssembly beside the same functions natively: the same poses, byte for byte; and what hostile files do to it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Local, LocalError, compile } from "../../api/client/local/local.js";

const { POSED_WASM, POSED_NATIVE, POSED_SAMPLES, POSED_CORPUS, POSED_SEEDS } = process.env;
const MOMENTS = 23, MOST_CLIPS = 50, MOST_BYTES = 512 << 20, ODD_MEMORY = 1 << 20;
const module = await compile(readFileSync(POSED_WASM));

function walk(folder) {
  let found = [];
  try { found = readdirSync(folder, { recursive: true }); } catch { return []; }
  return found.map((name) => join(folder, name)).filter((path) => statSync(path).isFile()).sort();
}

/** What native_poses writes, by this module. */
function poses(path) {
  const local = new Local(module, { milliseconds: 60000 }), parts = [];
  try {
    const found = local.open([{ name: path, bytes: readFileSync(path) }]);
    for (let clip = 0; clip < Math.min(found.clips.length, MOST_CLIPS); clip++)
      for (const [word, skeleton] of [[-1, undefined], [-2, null]]) {
        local.play(clip, { skeleton });
        const floats = local.series(-0.1, 0.0731, MOMENTS, { wrap: true, motion: true }) ?? new Float32Array();
        parts.push(Buffer.from(`${path} ${clip} ${word} ${floats.length}\n`), Buffer.from(new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength)));
      }
  } catch (error) {
    if (!(error instanceof LocalError) || error.problem.code === "trapped") throw error;
  } finally {
    local.close();
  }
  return Buffer.concat(parts);
}

function compare(paths) {
  let bytes = 0;
  for (const path of paths) {
    const wanted = execFileSync(POSED_NATIVE, [path], { maxBuffer: MOST_BYTES }), got = poses(path);
    assert.ok(wanted.equals(got), `${path}: ${got.length} bytes, natively ${wanted.length}; they differ at ${wanted.findIndex((byte, i) => byte !== got[i])}`);
    bytes += got.length;
  }
  return bytes;
}

test("generated samples have the same poses, bit for bit", () => assert.ok(compare(walk(POSED_SAMPLES)) > ODD_MEMORY));

test("real files have the same poses, bit for bit", (t) => {
  const paths = POSED_CORPUS ? walk(POSED_CORPUS) : [];
  if (!paths.length) return t.skip("no corpus");
  assert.ok(compare(paths) > ODD_MEMORY);
});

test("a hostile file gives values or an error", () => {
  for (const path of walk(POSED_SEEDS)) poses(path);
  for (const path of walk(POSED_SAMPLES).filter((each) => statSync(each).size < 40000)) {
    const whole = readFileSync(path);
    for (let cut = 1; cut < whole.length; cut += 1 + (whole.length >> 3)) {
      const local = new Local(module), damaged = Uint8Array.from(whole);
      damaged[cut] ^= 0x80;
      for (const bytes of [whole.subarray(0, cut), damaged]) {
        try {
          local.open([{ name: path, bytes }]);
        } catch (error) {
          assert.ok(error instanceof LocalError && error.problem.code !== "trapped", `${path} at ${cut}: ${error.message}`);
          assert.ok(error.problem.detail);
        }
      }
      local.close();
    }
  }
});

test("XML is read, although there is no system to ask for a salt", () => {
  const bone = (name, inner) => `<bone name="${name}" pivot="0 0 1" pos="0 0 1" rot="0 0 0" scale="1 1 1" end="0 0 1" support="base" group="Torso" connected="false">${inner}</bone>`;
  const text = `<linden_skeleton num_bones="2" num_collision_volumes="0" version="2.0">${bone("lamp", bone("shade", ""))}</linden_skeleton>`, local = new Local(module);
  assert.equal(local.open([{ name: "avatar_skeleton.xml", bytes: new TextEncoder().encode(text) }]).skeletons[0].joint_count, 2);
});

test("a broken file is refused with its byte, and a clip is written as GLB", () => {
  const path = join(POSED_SAMPLES, "second-life", "walk.anim"), local = new Local(module), bytes = readFileSync(path);
  assert.throws(() => local.open([{ name: "walk.anim", bytes: bytes.subarray(0, 200) }]), (error) => error.problem.offset > 0);
  assert.equal(local.open([{ name: "walk.anim", bytes }]).clips[0].name, "walk");
  assert.equal(new TextDecoder().decode(local.glb(0).subarray(0, 4)), "glTF");
  assert.throws(() => local.play(9), (error) => error.problem.code === "unknown_clip");
  local.close();
  assert.throws(() => local.play(0), (error) => error.problem.code === "closed");
});
