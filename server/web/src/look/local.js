// Files read on this machine, by looker.js.
import { ours } from "../dom.js";

/** Of files: "the file is like that" is said by whoever reads it; these are not the file's, and a server may do better. */
const OTHERS = ["not_local", "trapped", "closed", "no_memory", "unsupported_container", "cancelled"];

/* global LIBPOSE, LOOKER */
/** Whether this build of the page has the module, and this browser can run it. */
export const canLook = () => Boolean(LIBPOSE && globalThis.WebAssembly && globalThis.Worker);

export const isOthers = (error) => OTHERS.includes(error.problem?.code);

export class Looker {
  #worker = new Worker(ours(LOOKER), { type: "module" });
  #waiting = new Map();
  #count = 0;

  constructor() {
    this.#worker.addEventListener("message", ({ data: [number, value, problem] }) => {
      const [resolve, reject] = this.#waiting.get(number);
      this.#waiting.delete(number);
      if (problem) reject(Object.assign(new Error(problem.detail ?? problem.code), { problem }));
      else resolve(value);
    });
    this.#worker.addEventListener("error", (event) => {
      const problem = { code: "not_local", detail: event.message || "The files cannot be read here." };
      for (const [, reject] of this.#waiting.values()) reject(Object.assign(new Error(problem.detail), { problem }));
      this.#waiting.clear();
    });
  }

  #ask(question, ...values) {
    return new Promise((resolve, reject) => {
      this.#waiting.set(++this.#count, [resolve, reject]);
      this.#worker.postMessage([this.#count, question, ...values]);
    });
  }

  /** What the files hold, as POST /v1/inspect tells it. */
  open(files) {
    return this.#ask("open", new URL(ours(LIBPOSE), location.href).href, files);
  }

  /** The GLB of a clip, by its place in the list. */
  glb(clip) {
    return this.#ask("glb", clip);
  }

  close() {
    this.#worker.terminate();
  }
}
