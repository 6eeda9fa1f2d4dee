/*!
libpose.wasm is posed's, and holds parts of these, all under the MIT License: Expat, Copyright (c) 1998-2000 Thai Open Source Software
Center Ltd and Clark Cooper, 2001-2022 Expat maintainers; libdeflate, Copyright 2016 Eric Biggers; Jansson, Copyright (c) 2009-2020
Petri Lehtinen; musl, Copyright 2005-2020 Rich Felker, et al.; and of stb_image by Sean Barrett, wasi-libc by Dan Gohman and
contributors, and dlmalloc by Doug Lea, which are in the public domain.

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to
the following conditions: The above copyright notice and this permission notice shall be included in all copies or substantial portions of
the Software. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE
LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
*/
// Files decoded and sampled where they are, by libpose as WebAssembly: nothing is sent anywhere.

const AXES = { gltf: 0, sl: 1, sims: 2, prime: 3, inches: 4, z_up: 5 };
const AUTO = -1, NONE = -2;
const PATIENCE_MS = 20000;
// As lib/wasm/wasm.cmake says it to the linker, in pages of 64 KiB.
const MEMORY = { initial: 64, maximum: 8192 };

/** What could not be read, and why: `problem` has code, detail, and where they apply offset, line, field, limit. */
export class LocalError extends Error {
  constructor(problem) {
    super(problem.detail ?? problem.code);
    this.name = "LocalError";
    this.problem = problem;
  }
}

/** Compiles the module: of its bytes, a Response, or a WebAssembly.Module. It serves any number of Local. */
export async function compile(source) {
  const given = await source;
  if (given instanceof WebAssembly.Module) return given;
  return WebAssembly.compile(typeof given.arrayBuffer === "function" ? await given.arrayBuffer() : given);
}

/** The files of one look, in an instance of their own: what they do to its memory ends with it. */
export class Local {
  #instance;
  #memory = new WebAssembly.Memory(MEMORY);
  #deadline;

  /** @param module of compile() */
  constructor(module, { milliseconds = PATIENCE_MS } = {}) {
    this.milliseconds = milliseconds;
    const own = { memory: this.#memory, local_ask: () => Number(performance.now() > this.#deadline) };
    const imports = {};
    // What else the C library may ask for (a clock, a random salt, output) is answered with an error.
    for (const { module: space, name } of WebAssembly.Module.imports(module)) (imports[space] ??= {})[name] = own[name] ?? (() => 52);
    this.#instance = new WebAssembly.Instance(module, imports);
    this.#call("_initialize");
  }

  /** A trap is no value: the instance is thrown away. */
  #call(name, ...values) {
    if (!this.#instance) throw new LocalError({ code: "closed", detail: "This instance was closed or thrown away." });
    this.#deadline = performance.now() + this.milliseconds;
    try {
      return this.#instance.exports[name]?.(...values);
    } catch (error) {
      this.#instance = this.#memory = null;
      throw new LocalError({ code: "trapped", detail: `The file stopped the decoder, which was thrown away: ${error.message}` });
    }
  }

  #bytes() {
    const at = this.#call("local_text") >>> 0, size = this.#call("local_text_size") >>> 0;
    return new Uint8Array(this.#memory.buffer, at, size).slice();
  }

  #json = () => JSON.parse(new TextDecoder().decode(this.#bytes()) || '{"code":"no_memory","detail":"out of memory"}');

  #done(name, ...values) {
    if (!this.#call(name, ...values)) throw new LocalError(this.#json());
  }

  #put(bytes) {
    const at = this.#call("local_alloc", bytes.length) >>> 0;
    if (!at) throw new LocalError({ code: "no_memory", detail: "There is no room for this file." });
    new Uint8Array(this.#memory.buffer, at, bytes.length).set(bytes);
    return at;
  }

  #floats(at, count) {
    return at ? new Float32Array(this.#memory.buffer, at >>> 0, count) : null;
  }

  /** Files that belong together: [{name, bytes: Uint8Array}]. What they hold, as POST /v1/inspect tells it, without ids. */
  open(files) {
    this.#call("local_close");
    for (const { name, bytes } of files) {
      const text = this.#put(new TextEncoder().encode(`${name.replaceAll("\0", "")}\0`));
      this.#done("local_add", text, this.#put(bytes), bytes.length);
    }
    this.#done("local_open");
    return this.#json();
  }

  /** Chooses a clip by its index; skeleton: an index, null for none, or left out for the one that fits. */
  play(clip, { skeleton, axes = "gltf" } = {}) {
    this.#done("local_play", clip, skeleton === null ? NONE : skeleton ?? AUTO, AXES[axes] ?? -1);
    return this.#json();
  }

  /** joints x 10 floats at t seconds, as the server's as=f32; a view that the next call changes. */
  sample(t, { wrap = false, motion = false } = {}) {
    return this.#floats(this.#call("local_sample", t, Number(wrap), Number(motion)), this.#call("local_row_count") * 10);
  }

  /** frames x joints x 10 floats, a view that the next call changes; null if there is no room. */
  series(start, step, count, { wrap = false, motion = false } = {}) {
    return this.#floats(this.#call("local_series", start, step, count, Number(wrap), Number(motion)), count * this.#call("local_row_count") * 10);
  }

  /** The last sample in model space: joints x 16 floats; null without a skeleton. */
  model() {
    return this.#floats(this.#call("local_model"), this.#call("local_row_count") * 16);
  }

  /** A clip as the bytes of a GLB. */
  glb(clip, { skeleton } = {}) {
    this.#done("local_glb", clip, skeleton === null ? NONE : skeleton ?? AUTO);
    return this.#bytes();
  }

  close() {
    if (this.#instance) this.#call("local_close");
    this.#instance = this.#memory = null;
  }
}
