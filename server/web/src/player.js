// Playback: the clock, and the bar below the view.
import { el, say, seconds } from "./dom.js";
import { icon } from "./icons.js";
import { keep, setting } from "./settings.js";
import { Timeline } from "./timeline.js";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export class Player {
  /**
   * @param viewer gets setTime(t)
   * @param clip metadata: duration, fps, loop range
   * @param events [{time, type, …}]
   */
  constructor(viewer, clip, events = []) {
    this.viewer = viewer;
    this.clip = clip;
    this.time = 0;
    this.speed = SPEEDS.includes(setting("speed")) ? setting("speed") : 1;
    this.playing = false;
    this.loops = clip.loop !== false;
    this.step = 1 / (clip.fps || 30);
    this.frames = Math.max(Math.round(clip.duration / this.step), 0);
    this.part = []; // the times from and to which a part is repeated
    this.onTime = () => {};
    this.element = this.build(events);
  }

  build(events) {
    this.button = el("button", { type: "button", class: "primary icon play", onclick: () => this.toggle() });
    this.timeline = new Timeline(this.clip, events, this.frames, (t) => { this.pause(); this.seek(t); });
    this.inSeconds = el("span", { class: "in-seconds" });
    this.inFrames = el("span");
    this.readout = el("output", { class: "readout" }, this.inSeconds, this.inFrames);
    this.speedList = el("select", { "aria-label": "Speed", onchange: () => this.setSpeed(Number(this.speedList.value)) },
      ...SPEEDS.map((speed) => el("option", { value: speed }, `${speed}×`)));
    this.speedList.value = this.speed;
    this.loopBox = el("input", { type: "checkbox", checked: this.loops, onchange: () => (this.loops = this.loopBox.checked) });
    this.partButton = el("button", { type: "button", class: "quiet part-button", onclick: () => this.markPart() });
    const step = (name, picture, by) => el("button", { type: "button", class: "quiet icon", "aria-label": name, title: name, onclick: () => this.nudge(by) }, icon(picture));
    const full = document.fullscreenEnabled
      ? el("button", { type: "button", class: "quiet icon", "aria-label": "Full screen", title: "Full screen", onclick: () => this.fill() }, icon("full")) : null;
    this.showButton();
    this.showPart();
    return el("div", { class: "player", role: "group", "aria-label": "Playback" },
      this.timeline.element,
      el("div", { class: "buttons" }, this.button, step("Previous frame", "back", -1), step("Next frame", "on", 1), this.readout,
        el("span", { class: "grow" }), this.speedList, el("label", { class: "check" }, this.loopBox, "Loop"), this.partButton, full));
  }

  showButton() {
    const name = this.playing ? "Pause" : "Play";
    this.button.replaceChildren(icon(name.toLowerCase()));
    this.button.setAttribute("aria-label", name);
    this.button.title = `${name} (space)`;
  }

  /** Seconds, clamped to the clip. */
  seek(t) {
    const { duration } = this.clip;
    this.time = Math.min(Math.max(t, 0), duration);
    this.timeline.time = this.time;
    this.inSeconds.textContent = `${this.time.toFixed(2)} / ${duration.toFixed(2)} s · frame `;
    this.inFrames.textContent = `${Math.round(this.time / this.step)} / ${this.frames}`;
    this.viewer.setTime(this.time);
    this.onTime(this.time);
  }

  nudge(frames) {
    this.pause();
    this.seek((Math.round(this.time / this.step) + frames) * this.step);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.playing || !(this.clip.duration > 0)) return;
    this.playing = true;
    this.showButton();
    if (this.time >= this.clip.duration) this.seek(0);
    this.last = undefined;
    this.request = requestAnimationFrame((now) => this.tick(now));
  }

  pause() {
    this.playing = false;
    this.showButton();
    cancelAnimationFrame(this.request);
  }

  /** From where to where it is repeated. */
  get turn() {
    const [from, to] = this.part;
    if (to !== undefined) return [from, to];
    return this.clip.loop ? [this.clip.loop_in, this.clip.loop_out] : [0, this.clip.duration];
  }

  tick(now) {
    if (!this.playing) return;
    const passed = this.last === undefined ? 0 : ((now - this.last) / 1000) * this.speed;
    this.last = now;
    let t = this.time + passed;
    const [begin, end] = this.turn;
    const repeats = this.loops || this.part.length === 2;
    if (t > end && repeats && end > begin) t = begin + ((t - begin) % (end - begin));
    this.seek(t);
    if (t >= this.clip.duration && !repeats) this.pause();
    else this.request = requestAnimationFrame((later) => this.tick(later));
  }

  /** First A, then B, then neither. */
  markPart() {
    if (this.part.length === 2) this.part = [];
    else this.part = [...this.part, this.time].sort((a, b) => a - b);
    if (this.part.length === 2 && this.part[1] - this.part[0] < this.step) this.part = [];
    this.showPart();
    say(this.partButton.title);
  }

  showPart() {
    const { length } = this.part;
    this.partButton.textContent = ["A", "B", "A–B ×"][length];
    this.partButton.title = length === 2 ? `Repeats ${seconds(this.part[0])} to ${seconds(this.part[1])}; press to end that`
      : length ? "Set B: the end of the part to repeat (R)" : "Set A: the beginning of a part to repeat (R)";
    this.partButton.setAttribute("aria-label", this.partButton.title);
    this.timeline.show(length === 2 ? this.part : length ? [this.part[0], this.part[0]] : null);
  }

  fill() {
    if (document.fullscreenElement) document.exitFullscreen();
    else this.element.closest(".show")?.requestFullscreen();
  }

  /** Handles a key; returns whether it was one of the player's. */
  key(event) {
    const actions = {
      " ": () => this.toggle(), k: () => this.toggle(), ArrowLeft: () => this.nudge(-1), ArrowRight: () => this.nudge(1),
      Home: () => { this.pause(); this.seek(0); }, End: () => { this.pause(); this.seek(this.clip.duration); },
      "-": () => this.changeSpeed(-1), "+": () => this.changeSpeed(1), "=": () => this.changeSpeed(1),
      l: () => this.loopBox.click(), r: () => this.markPart(), u: () => this.fill(),
    };
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    actions[key]?.();
    return key in actions;
  }

  setSpeed(speed) {
    this.speed = speed;
    this.speedList.value = speed;
    keep("speed", speed);
  }

  changeSpeed(by) {
    this.setSpeed(SPEEDS[Math.min(Math.max(SPEEDS.indexOf(this.speed) + by, 0), SPEEDS.length - 1)]);
  }
}
