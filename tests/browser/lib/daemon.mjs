// The real daemon as a child process.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const START_MS = 120000;

export const samples = process.env.POSED_SAMPLES;

/** The path of a real file or folder, null where there is none. */
export function corpus(path = "") {
  const whole = join(process.env.POSED_CORPUS ?? "/nonexistent", path);
  return existsSync(whole) ? whole : null;
}

/** {origin, get(path) → JSON, stop()} of a daemon that serves those paths and options. */
export async function startDaemon(...paths) {
  const child = spawn(process.env.POSED, ["serve", "--listen", "127.0.0.1:0", ...paths], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "", errors = "";
  child.stderr.on("data", (data) => (errors = (errors + data).slice(-20000)));
  const ended = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
  const origin = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the daemon does not listen: ${errors}`)), START_MS);
    ended.then((code) => reject(new Error(`the daemon ended with ${code}: ${errors}`)));
    child.stdout.on("data", (data) => {
      said += data;
      const found = /^posed: listening on (http:\/\/\S+)$/m.exec(said);
      if (!found) return;
      clearTimeout(timer);
      resolve(found[1]);
    });
  });
  return {
    origin,
    async get(path) {
      const response = await fetch(origin + path);
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return response.json();
    },
    /** All clips of the list. */
    async clips(filter = "") {
      return (await this.get(`/v1/clips?limit=1000${filter}`)).items;
    },
    async stop() {
      child.kill("SIGTERM");
      const code = await ended;
      if (code !== 0) throw new Error(`the daemon ended with ${code}: ${errors}`);
    },
  };
}

/** A folder that is gone when the tests of this file are over. */
export function temporaryFolder(after) {
  const folder = mkdtempSync(join(tmpdir(), "posed-browser-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
