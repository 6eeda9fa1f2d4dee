// Playback: the clock, the controls below the view, and the timeline with event marks.
import { eventText } from "./about.js";
import { el, seconds } from "./dom.js";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2];

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
    this.speed = 1;
    this.playing = false;
    this.loops = clip.loop !== false;
    this.step = 1 / (clip.fps || 30);
    this.onTime = () => {};
    this.element = this.build(events);
  }

  build(events) {
    const { duration } = this.clip;
    this.button = el("button", { type: "button", class: "primary play", onclick: () => this.toggle() }, "Play");
    this.range = el("input", {
      type: "range", min: 0, max: duration || 1, step: "any", value: 0, "aria-label": "Time", class: "time",
      oninput: () => { this.pause(); this.seek(Number(this.range.value)); },
    });
    this.readout = el("output", { class: "readout" });
    this.speedList = el("select", { "aria-label": "Speed", onchange: () => (this.speed = Number(this.speedList.value)) },
      ...SPEEDS.map((speed) => el("option", { value: speed }, `${speed}×`)));
    this.speedList.value = 1;
    this.loopBox = el("input", { type: "checkbox", checked: this.loops, onchange: () => (this.loops = this.loopBox.checked) });
    const marks = el("div", { class: "marks", "aria-hidden": "true" }, ...events.slice(0, 500).map((event) => {
      const mark = el("span", { class: "mark", title: `${seconds(event.time)} ${eventText(event)}` });
      mark.style.left = `${duration ? (event.time / duration) * 100 : 0}%`;
      return mark;
    }));
    return el("div", { class: "player", role: "group", "aria-label": "Playback" },
      this.button,
      el("button", { type: "button", class: "quiet", "aria-label": "Previous frame", onclick: () => this.nudge(-1) }, "◂"),
      el("button", { type: "button", class: "quiet", "aria-label": "Next frame", onclick: () => this.nudge(1) }, "▸"),
      el("div", { class: "track" }, this.range, marks),
      this.readout, this.speedList,
      el("label", { class: "check" }, this.loopBox, "Loop"));
  }

  /** Seconds, clamped to the clip. */
  seek(t) {
    this.time = Math.min(Math.max(t, 0), this.clip.duration);
    this.range.value = this.time;
    this.range.setAttribute("aria-valuetext", seconds(this.time));
    this.readout.textContent = `${this.time.toFixed(2)} / ${this.clip.duration.toFixed(2)} s`;
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
    this.button.textContent = "Pause";
    if (this.time >= this.clip.duration) this.seek(0);
    this.last = undefined;
    this.request = requestAnimationFrame((now) => this.tick(now));
  }

  pause() {
    this.playing = false;
    this.button.textContent = "Play";
    cancelAnimationFrame(this.request);
  }

  tick(now) {
    if (!this.playing) return;
    const passed = this.last === undefined ? 0 : ((now - this.last) / 1000) * this.speed;
    this.last = now;
    let t = this.time + passed;
    const begin = this.clip.loop ? this.clip.loop_in : 0;
    const end = this.clip.loop ? this.clip.loop_out : this.clip.duration;
    if (t > end && this.loops && end > begin) t = begin + ((t - begin) % (end - begin));
    this.seek(t);
    if (t >= this.clip.duration && !this.loops) this.pause();
    else this.request = requestAnimationFrame((later) => this.tick(later));
  }

  /** Handles a key; returns whether it was one of the player's. */
  key(event) {
    const actions = {
      " ": () => this.toggle(), k: () => this.toggle(), ArrowLeft: () => this.nudge(-1), ArrowRight: () => this.nudge(1),
      Home: () => { this.pause(); this.seek(0); }, End: () => { this.pause(); this.seek(this.clip.duration); },
      "-": () => this.changeSpeed(-1), "+": () => this.changeSpeed(1), "=": () => this.changeSpeed(1),
      l: () => this.loopBox.click(),
    };
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    actions[key]?.();
    return key in actions;
  }

  changeSpeed(by) {
    const at = Math.min(Math.max(SPEEDS.indexOf(this.speed) + by, 0), SPEEDS.length - 1);
    this.speed = SPEEDS[at];
    this.speedList.value = this.speed;
  }
}
