/**
 * <posed-clip src="https://host/clip/ID" autoplay loop controls></posed-clip>: a clip that plays on any page.
 * What draws it, with three.js, is fetched when the first of them is about to be seen.
 */
import { Posed } from "../posed.js";
import { clipOf, figureURL } from "./source.js";
import { STYLE, TEMPLATE } from "./template.js";

const NEAR = "200px";
const SOURCES = ["src", "character", "onto"];
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const twoDigits = (t) => t.toFixed(2);
let sheet;

/** Elsewhere than in a browser, as where pages are rendered on a server, the class is only a name. */
const Base = globalThis.HTMLElement ?? class {};

export class PosedClip extends Base {
  static observedAttributes = [...SOURCES, "controls", "background", "title"];

  constructor() {
    super();
    if (!sheet) (sheet = new CSSStyleSheet()).replaceSync(STYLE);
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [sheet];
    root.innerHTML = TEMPLATE;
    for (const name of ["stage", "poster", "canvas", "player", "play", "range", "readout", "note"]) this[`_${name}`] = root.querySelector(`.${name}`);
    this._play.addEventListener("click", () => (this.paused ? this.play() : this.pause()));
    this._range.addEventListener("input", () => {
      this.pause();
      this.currentTime = Number(this._range.value);
    });
    this._time = 0;
    this._paused = true;
  }

  connectedCallback() {
    this._watcher = new IntersectionObserver((entries) => this._seen(entries.at(-1).isIntersecting), { rootMargin: NEAR });
    this._watcher.observe(this);
    this._resizer = new ResizeObserver(() => this._view?.request());
    this._resizer.observe(this._stage);
    this._show();
  }

  disconnectedCallback() {
    this._watcher.disconnect();
    this._resizer.disconnect();
    this._unload();
    this._isSeen = this._loading = false;
  }

  attributeChangedCallback(name, before, now) {
    if (before === now) return;
    if (SOURCES.includes(name)) this._reload();
    else this._show();
  }

  /** Seconds; 0 until it is ready. */
  get duration() {
    return this._clip?.duration ?? 0;
  }

  /** What the server says of the clip, null until it is ready. */
  get clip() {
    return this._clip ?? null;
  }

  get paused() {
    return this._paused;
  }

  get currentTime() {
    return this._time;
  }

  set currentTime(t) {
    this._time = Math.min(Math.max(Number(t) || 0, 0), this._clip ? this.duration : Infinity);
    this._view?.request();
    if (this._clip) this._tell();
  }

  play() {
    if (this._time >= this.duration) this._time = 0;
    this._setPaused(false);
    this._view?.request();
  }

  pause() {
    this._setPaused(true);
  }

  /** Plays a GLB that is there already; clip is what the server, or its /v1/inspect, says of it. */
  async show(clip, bytes) {
    this._unload();
    const { signal } = (this._controller = new AbortController());
    const { View } = await import("./stage.js");
    const view = await View.of(bytes, this._canvas, this._driver());
    if (signal.aborted || !this.isConnected) return view.dispose(); // another clip was shown meanwhile
    this._time = 0;
    this._begin(clip, view);
  }

  /** What the drawing asks for. */
  _driver() {
    return { advance: (passed) => this._advance(passed), isPaused: () => this._paused };
  }

  /** Called before each drawing, with the seconds since the one before. Returns the time to draw. */
  _advance(passed) {
    if (this._paused || !passed) return this._time;
    const { duration, loop, loop_in: first, loop_out: last } = this._clip;
    const begin = loop ? first : 0, end = loop ? last : duration;
    this._time += passed;
    if (this.loop && end > begin && this._time > end) this._time = begin + ((this._time - begin) % (end - begin));
    if (this._time >= duration) {
      this._time = duration;
      this._setPaused(true);
    }
    this._tell();
    return this._time;
  }

  _setPaused(on) {
    this._paused = on;
    this._play.setAttribute("aria-label", on ? "Play" : "Pause");
    this._player.classList.toggle("playing", !on);
  }

  _tell() {
    this._range.value = this._time;
    this._range.setAttribute("aria-valuetext", `${twoDigits(this._time)} s`);
    this._readout.textContent = `${twoDigits(this._time)} / ${twoDigits(this.duration)} s`;
    this.dispatchEvent(new CustomEvent("time", { detail: { time: this._time, duration: this.duration } }));
  }

  /** What attributes change without loading anything. */
  _show() {
    this._player.hidden = !this.controls;
    this._stage.style.background = this.background ?? "";
    this._canvas.setAttribute("aria-label", this.title || `Animation ${this._clip?.name ?? ""}`.trim());
  }

  _seen(on) {
    this._isSeen = on;
    if (on && !this._loading) this._load();
    if (this._view) this._view.isSeen = on;
    if (on) this._view?.request();
  }

  /** Several attributes that change together are one loading. */
  _reload() {
    this._unload();
    if (this._isQueued) return;
    this._isQueued = true;
    queueMicrotask(() => {
      this._isQueued = false;
      this._loading = false;
      if (this.isConnected && this._isSeen) this._load();
    });
  }

  _unload() {
    this._controller?.abort();
    this._view?.dispose();
    this._view = this._clip = null;
    this._poster.hidden = this._note.hidden = true;
  }

  async _load() {
    if (!this.src) return;
    this._loading = true;
    const { signal } = (this._controller = new AbortController());
    try {
      await this._fetch(signal);
    } catch (error) {
      if (signal.aborted) return;
      this._note.textContent = error.message;
      this._note.hidden = false;
      this.dispatchEvent(new CustomEvent("error", { detail: { message: error.message, problem: error.problem ?? null } }));
    }
  }

  async _fetch(signal) {
    const { base, archive, path } = clipOf(this.src);
    const posed = new Posed(base, { archive });
    const drawing = import("./stage.js");
    const clip = await posed.json(path, { signal });
    if (!this.character && !this.onto) {
      this._poster.src = posed.previewURL(clip.id, "png", { width: 480, height: 480 });
      this._poster.hidden = false;
    }
    const url = await figureURL(posed, clip, this, signal);
    const [{ View }, bytes] = await Promise.all([drawing, posed.request(url, { signal }).then((response) => response.arrayBuffer())]);
    const view = await View.of(bytes, this._canvas, this._driver());
    if (signal.aborted) return view.dispose();
    this._begin(clip, view);
  }

  _begin(clip, view) {
    this._clip = clip;
    this._view = view;
    view.isSeen = this._isSeen;
    view.onDrawn = () => (this._poster.hidden = true);
    this._range.max = clip.duration || 1;
    this._show();
    this.currentTime = this._time;
    this.dispatchEvent(new CustomEvent("ready", { detail: { clip } }));
    if (this.autoplay && clip.duration > 0 && !still()) this.play();
  }
}

for (const name of ["src", "character", "onto", "background"])
  Object.defineProperty(PosedClip.prototype, name, {
    get() { return this.getAttribute(name); },
    set(value) { value === null || value === undefined ? this.removeAttribute(name) : this.setAttribute(name, value); },
  });
for (const name of ["autoplay", "loop", "controls"])
  Object.defineProperty(PosedClip.prototype, name, {
    get() { return this.hasAttribute(name); },
    set(on) { this.toggleAttribute(name, Boolean(on)); },
  });

if (globalThis.customElements && !customElements.get("posed-clip")) customElements.define("posed-clip", PosedClip);
