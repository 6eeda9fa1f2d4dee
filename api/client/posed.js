/**
 * A client of the posed API for browsers, Node and workers. No dependencies.
 *
 *     import { Posed } from "./posed.js";
 *     const posed = new Posed("http://localhost:8080");
 *     const { items } = await posed.clips({ q: "walk" });
 *     const poses = await posed.poses(items[0].id);
 *     const pose = poses.sample(0.5);
 */

/** What the server refused, or what came instead of an answer. `problem` is its RFC 9457 body, or null. */
export class PosedError extends Error {
  constructor(message, status, problem = null) {
    super(message);
    this.name = "PosedError";
    this.status = status;
    this.problem = problem;
  }
}

const PART = { translation: 0, rotation: 3, scale: 7 };
const ROW = 10;
const MATRIX = 16;

/** undefined and null are left out; lists become "a,b". */
function query(parameters = {}) {
  const pairs = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, Array.isArray(value) ? value.join(",") : String(value)]));
  return pairs.length ? `?${text}` : "";
}

/** With `onto`, the motion is retargeted: everything else goes with it. Maps may be objects. */
function retargeted({ map, map_onto: mapOnto, ...options }) {
  const text = (value) => (value && typeof value === "object" ? JSON.stringify(value) : value);
  return { ...options, map: text(map), map_onto: text(mapOnto) };
}

/** Options of a clip; `onto` alone is enough to retarget it. */
function onOptions(options) {
  return options.onto ? { retarget: 1, ...retargeted(options) } : options;
}

async function refusal(response) {
  let problem = null;
  try {
    problem = await response.json();
  } catch {
    // No problem document: the status has to do.
  }
  return new PosedError(problem?.detail ?? `${response.status} ${response.statusText}`, response.status, problem);
}

/** {query, body} of what goes to the server together: a file, some bytes, or several files as a form. */
function parcel(files, name) {
  const list = Array.isArray(files) ? files : [files];
  if (list.length === 1) return { query: { name: name ?? list[0].name }, body: list[0] };
  const form = new FormData();
  for (const file of list) form.append("file", file, file.name);
  return { query: { name }, body: form };
}

/** Poses of one clip at ascending times, decoded into typed arrays. */
export class Poses {
  constructor(head, floats) {
    /** What the server says of them: clip, space, axes, skeleton, fps, times, joints, morphs, unmatched, warnings. */
    this.head = head;
    /** Float32Array: frames x joints x width. */
    this.floats = floats;
    this.joints = head.joints;
    this.times = Float64Array.from(head.times);
    this.frameCount = this.times.length;
    /** Floats a joint: 10 (translation xyz, rotation xyzw, scale xyz), or 16 (a column-major matrix). */
    this.width = head.space === "model" ? MATRIX : ROW;
    /** Floats a frame. */
    this.stride = this.joints.length * this.width;
  }

  get duration() {
    return this.frameCount ? this.times[this.frameCount - 1] : 0;
  }

  /** The floats of a frame: a view, not a copy. */
  frame(index) {
    return this.floats.subarray(index * this.stride, (index + 1) * this.stride);
  }

  /** The last frame whose time is not after t, at least 0. */
  frameAt(t) {
    let low = 0;
    let high = this.frameCount - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= t) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The pose at t, into out ([stride] floats) if given: between two frames, rotations by normalised interpolation. */
  sample(t, out = new Float32Array(this.stride)) {
    if (!this.frameCount) return out;
    const index = this.frameAt(t);
    const from = this.frame(index);
    const span = index + 1 < this.frameCount ? this.times[index + 1] - this.times[index] : 0;
    const share = span > 0 ? Math.min(Math.max((t - this.times[index]) / span, 0), 1) : 0;
    out.set(from);
    if (!share) return out;
    const to = this.frame(index + 1);
    for (let i = 0; i < this.stride; i++) out[i] += (to[i] - from[i]) * share;
    if (this.width === ROW) normalise(out);
    return out;
  }
}

/** Neighbouring frames lie in one hemisphere, so that their sum is never far from unit length. */
function normalise(rows) {
  for (let i = PART.rotation; i < rows.length; i += ROW) {
    const length = Math.hypot(rows[i], rows[i + 1], rows[i + 2], rows[i + 3]);
    if (length > 0) for (let k = 0; k < 4; k++) rows[i + k] /= length;
  }
}

/** The body of `as=posed`: a length, that much JSON, padding to four bytes, floats. */
export function decodePoses(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  return new Poses(head, new Float32Array(buffer, 4 + length + ((4 - (length % 4)) % 4)));
}

export class Posed {
  /**
   * @param {string} base where the server is; "" is where the page came from
   * @param {{token?: string, fetch?: typeof fetch, archive?: string}} options token: a bearer token for uploads;
   *   archive: see inArchive
   */
  constructor(base = "", options = {}) {
    if (base && !/^([\w+.-]+:\/\/|\/)/.test(base)) throw new TypeError(`base "${base}" must begin with http:// or https://`);
    this.base = base.replace(/\/+$/, "");
    const [, origin = "", prefix = ""] = /^(\w+:\/\/[^/]*)?(.*)$/.exec(this.base);
    this.origin = origin;
    this.prefix = prefix;
    this.token = options.token;
    this.archive = options.archive;
    this.fetcher = options.fetch ?? globalThis.fetch.bind(globalThis);
  }

  /**
   * The same server, as one archive has what is asked for by id: with the skeleton, the textures and the key files that
   * lie beside it there. What is not in the archive is refused.
   */
  inArchive(archive) {
    return new Posed(this.base, { token: this.token, fetch: this.fetcher, archive });
  }

  /** The query of what is asked for by id. */
  scoped(parameters) {
    return query({ archive: this.archive, ...parameters });
  }

  /** The address of a path below the server, or of a link that it gave: that begins with the prefix of --base-path. */
  address(path) {
    return this.prefix && path.startsWith(`${this.prefix}/`) ? this.origin + path : this.base + path;
  }

  /** What fetch throws does not say who was asked. */
  async ask(address, init) {
    try {
      return await this.fetcher(address, init);
    } catch (error) {
      throw error instanceof TypeError ? new TypeError(`${address} does not answer: ${error.message}`, { cause: error }) : error;
    }
  }

  /** The response of a path below the server; what is not 2xx is thrown. */
  async request(path, init = {}) {
    const headers = new Headers(init.headers);
    if (this.token) headers.set("Authorization", `Bearer ${this.token}`);
    const address = this.address(path);
    const response = await this.ask(address, { ...init, headers });
    if (!response.ok) throw await refusal(response);
    return response;
  }

  async json(path, init) {
    return (await this.request(path, init)).json();
  }

  /** One page of a list: {items, next, total}. */
  clips(filter = {}, init) {
    return this.json(`/v1/clips${query(filter)}`, init);
  }

  archives(filter = {}, init) {
    return this.json(`/v1/archives${query(filter)}`, init);
  }

  skeletons(filter = {}, init) {
    return this.json(`/v1/skeletons${query(filter)}`, init);
  }

  meshes(filter = {}, init) {
    return this.json(`/v1/meshes${query(filter)}`, init);
  }

  characters(filter = {}, init) {
    return this.json(`/v1/characters${query(filter)}`, init);
  }

  images(filter = {}, init) {
    return this.json(`/v1/images${query(filter)}`, init);
  }

  formats(init) {
    return this.json("/v1/formats", init);
  }

  /** Every item of a list, page by page: for await (const clip of posed.all("clips", {q: "walk"})) … */
  async *all(kind, filter = {}) {
    let path = `/v1/${kind}${query(filter)}`;
    while (path) {
      const page = await this.json(path);
      yield* page.items;
      path = page.next;
    }
  }

  clip(id, init) {
    return this.json(`/v1/clips/${id}${this.scoped()}`, init);
  }

  keys(id, init) {
    return this.json(`/v1/clips/${id}/keys${this.scoped()}`, init);
  }

  events(id, window = {}, init) {
    return this.json(`/v1/clips/${id}/events${this.scoped(window)}`, init);
  }

  /** What is in an archive, and what of it was rejected and why. */
  archiveOf(id, init) {
    return this.json(`/v1/archives/${id}`, init);
  }

  /** The files of an archive; {name} for those of one name. */
  entries(archive, filter = {}, init) {
    return this.json(`/v1/archives/${archive}/entries${query(filter)}`, init);
  }

  image(id, init) {
    return this.json(`/v1/images/${id}`, init);
  }

  /** The hashes of a name, as one of the games uses them. */
  hash(name, init) {
    return this.json(`/v1/hash${query({ name })}`, init);
  }

  /** The names that a game looks for in turn: {name}, or {id: "0x…"}. */
  resolve(what, init) {
    return this.json(`/v1/resolve${query(what)}`, init);
  }

  skeleton(id, init) {
    return this.json(`/v1/skeletons/${id}${this.scoped()}`, init);
  }

  /** Humanoid skeletons and characters, loaded or built in, that clips can be retargeted to. */
  people(init) {
    return this.json("/v1/people", init);
  }

  /** Which joint of a skeleton is which bone of a person; refused (422, not_humanoid) when it is no person's. */
  humanoid(skeleton, init) {
    return this.json(`/v1/skeletons/${skeleton}/humanoid${this.scoped()}`, init);
  }

  /** How well a clip fits another skeleton: {onto: ID, ik, travel, heading, …}. */
  retarget(id, options = {}, init) {
    return this.json(`/v1/clips/${id}/retarget${this.scoped(retargeted(options))}`, init);
  }

  /** options.with: ids of meshes that are laid on it, comma-separated. */
  character(id, options = {}, init) {
    return this.json(`/v1/characters/${id}${this.scoped(options)}`, init);
  }

  mesh(id, init) {
    return this.json(`/v1/meshes/${id}${this.scoped()}`, init);
  }

  /** One pose as JSON. */
  pose(id, t = 0, options = {}, init) {
    return this.json(`/v1/clips/${id}/pose${this.scoped({ t, ...onOptions(options) })}`, init);
  }

  /** Many poses as typed arrays, by the clip's frames, or {fps}, or {t: [0, 0.5]}; {space: "model"} for matrices. */
  async poses(id, options = {}, init) {
    const response = await this.request(`/v1/clips/${id}/poses${this.scoped({ ...onOptions(options), as: "posed" })}`, init);
    return decodePoses(await response.arrayBuffer());
  }

  /** Poses one after another as the server makes them: {t, translation, rotation, scale}. */
  async *stream(id, options = {}, init) {
    const response = await this.request(`/v1/clips/${id}/poses${this.scoped({ ...onOptions(options), as: "ndjson" })}`, init);
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      text += decoder.decode(value, { stream: !done });
      const lines = text.split("\n");
      text = lines.pop();
      for (const line of lines) if (line) yield JSON.parse(line);
      if (done) return;
    }
  }

  /** Poses of many clips, and of several together, in one request; a result is {error} where an item was refused. */
  async batch(requests, init = {}) {
    const body = JSON.stringify({ requests });
    const headers = { "Content-Type": "application/json" };
    return (await this.json("/v1/poses", { ...init, method: "POST", headers, body })).results;
  }

  /**
   * Several clips together as typed arrays: {layers}, {crossfade}, or {mix: "sl", layers}, and {t: [0, 0.5]} or
   * {fps, from, to}. `batch` has the layers and the explanation of each pose.
   */
  async mixed(item, init = {}) {
    const body = JSON.stringify({ requests: [{ ...item, as: "posed" }] });
    const headers = { "Content-Type": "application/json" };
    const response = await this.request("/v1/poses", { ...init, method: "POST", headers, body });
    return decodePoses(await response.arrayBuffer());
  }

  /** The same as a file, a Blob: to is "glb", "sl-anim", …; options are those of /v1/convert. */
  async mixedFile(item, to = "glb", options = {}, init = {}) {
    const headers = { "Content-Type": "application/json" };
    const path = `/v1/convert${query({ to, ...options })}`;
    return (await this.request(path, { ...init, method: "POST", headers, body: JSON.stringify(item) })).blob();
  }

  /** Positions and normals of a mesh on a clip: Float32Array, 6 a vertex. */
  async vertices(mesh, options = {}, init) {
    const response = await this.request(`/v1/meshes/${mesh}/vertices${this.scoped({ ...options, as: "f32" })}`, init);
    return new Float32Array(await response.arrayBuffer());
  }

  /** What a file is, or several together are, without keeping them. */
  inspect(files, name, init = {}) {
    const given = parcel(files, name);
    return this.json(`/v1/inspect${query(given.query)}`, { ...init, method: "POST", body: given.body });
  }

  /** A file, or several that need each other, in another format, without keeping them: a Blob. */
  async convert(files, to, options = {}, init = {}) {
    const given = parcel(files, options.name);
    const path = `/v1/convert${query({ ...onOptions(options), ...given.query, to })}`;
    return (await this.request(path, { ...init, method: "POST", body: given.body })).blob();
  }

  /**
   * Every clip of an archive, or of several files, in another format, without keeping them: a ZIP, whose report.json says
   * what was made and what was not.
   */
  convertAll(files, to, options = {}, init = {}) {
    return this.convert(files, to, { ...options, as: "zip" }, init);
  }

  /**
   * Keeps a file, or several as one archive; the answer lists what was found and what was rejected.
   * init.onProgress(sent, total) is called in browsers.
   */
  upload(files, name, { onProgress, ...init } = {}) {
    const given = parcel(files, name), path = `/v1/archives${query(given.query)}`;
    if (onProgress && globalThis.XMLHttpRequest) return this.send(path, given.body, onProgress, init.signal);
    return this.json(path, { ...init, method: "POST", body: given.body });
  }

  /** fetch tells no progress. */
  send(path, body, onProgress, signal) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("POST", this.address(path));
      request.responseType = "json";
      if (this.token) request.setRequestHeader("Authorization", `Bearer ${this.token}`);
      request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(loaded, total));
      request.addEventListener("load", () => {
        const { status, response } = request;
        if (status >= 200 && status < 300) resolve(response);
        else reject(new PosedError(response?.detail ?? `${status} ${request.statusText}`, status, response ?? null));
      });
      request.addEventListener("error", () => reject(new TypeError("the server cannot be reached")));
      request.addEventListener("abort", () => reject(new DOMException("the upload was given up", "AbortError")));
      signal?.addEventListener("abort", () => request.abort());
      request.send(body);
    });
  }

  async remove(archive, init = {}) {
    await this.request(`/v1/archives/${archive}`, { ...init, method: "DELETE" });
  }

  /** How far two clips are apart: {fps, skeleton}. */
  diff(id, other, options = {}, init) {
    return this.json(`/v1/clips/${id}/diff${this.scoped({ with: other, ...options })}`, init);
  }

  /** Where a picture is, for <img src>: {t, width, height, angle, background, frames, skeleton, mesh}. */
  previewURL(id, type = "png", options = {}) {
    return `${this.base}/v1/clips/${id}/preview.${type}${this.scoped(onOptions(options))}`;
  }

  plotURL(id, options = {}) {
    return `${this.base}/v1/clips/${id}/plot.svg${this.scoped(onOptions(options))}`;
  }

  /** Where an archive's clips are in another format, as a ZIP: {fps, skeleton, onto, …}. */
  archiveURL(id, to, options = {}) {
    return `${this.base}/v1/archives/${id}.zip${query({ to, ...onOptions(options) })}`;
  }

  /** Where the bytes of a file in an archive are. */
  entryURL(archive, index) {
    return `${this.base}/v1/archives/${archive}/entries/${index}`;
  }

  skeletonURL(id, extension = "glb", options = {}) {
    return `${this.base}/v1/skeletons/${id}.${extension}${this.scoped(options)}`;
  }

  meshURL(id, extension = "glb", options = {}) {
    return `${this.base}/v1/meshes/${id}.${extension}${this.scoped(options)}`;
  }

  imageURL(id) {
    return `${this.base}/v1/images/${id}.png`;
  }

  /** Where people see it: kind is "clip", "archive", "character", or "embed", for a frame. */
  pageURL(kind, id, options = {}) {
    return `${this.base}/${kind}/${id}${kind === "archive" ? "" : this.scoped(options)}`;
  }

  /** Where a character is as GLB: {clips: "ID,…", with: "ID,…", skeleton}. */
  characterURL(id, options = {}) {
    return `${this.base}/v1/characters/${id}.glb${this.scoped(options)}`;
  }

  /** Where a conversion is: "glb", "bvh", "json", … */
  convertURL(id, extension, options = {}) {
    return `${this.base}/v1/clips/${id}.${extension}${this.scoped(onOptions(options))}`;
  }
}
