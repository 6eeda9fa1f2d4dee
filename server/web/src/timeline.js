// The timeline of a clip: its slider, a ruler in frames, its events, and the part that is repeated.
import { eventText } from "./about.js";
import { el, seconds } from "./dom.js";

const MOST_MARKS = 200, MOST_TICKS = 9;
const ALL = 0.6; // of the joints: then an event is one of all of them

/** 1, 2, 5, 10, …: the smallest that makes at most MOST_TICKS of count. */
function spacing(count) {
  for (let step = 1; ; step *= 10) for (const by of [1, 2, 5]) if (count / (step * by) <= MOST_TICKS) return step * by;
}

/** What happens at one time, as one line each; long lists of joints are summed up. */
function said(events, jointCount) {
  return [...new Set(events.map((event) => {
    const isForAll = Array.isArray(event.joints) && event.joints.length > Math.max(jointCount * ALL, 3);
    return eventText(isForAll ? { ...event, joints: "all joints" } : event);
  }))].join("\n");
}

export class Timeline {
  /** seek(t) is called when the reader has chosen a time. */
  constructor({ duration, joint_count: jointCount }, events, frames, seek) {
    this.duration = duration;
    this.range = el("input", {
      type: "range", min: 0, max: duration || 1, step: "any", value: 0, "aria-label": "Time", class: "time",
      oninput: () => seek(Number(this.range.value)),
    });
    this.part = el("div", { class: "part", hidden: true });
    this.element = el("div", { class: "track" }, this.part, this.range, this.ruler(frames), this.marks(events, jointCount, seek));
  }

  /** The share of a time, as a style's value. */
  at(t) {
    return `${this.duration ? (Math.min(Math.max(t, 0), this.duration) / this.duration) * 100 : 0}%`;
  }

  ruler(frames) {
    const ruler = el("div", { class: "ruler", "aria-hidden": "true" });
    const step = spacing(frames);
    for (let frame = 0; frame <= frames; frame += step) {
      const tick = el("span", {}, String(frame));
      tick.style.left = `${frames ? (frame / frames) * 100 : 0}%`;
      ruler.append(tick);
    }
    return ruler;
  }

  /** A button for each event, or for those of one time. */
  marks(events, jointCount, seek) {
    const times = new Map();
    for (const event of events.slice(0, MOST_MARKS)) times.set(event.time, [...(times.get(event.time) ?? []), event]);
    const marks = el("div", { class: "marks" });
    for (const [time, together] of times) {
      const text = said(together, jointCount);
      const mark = el("button", { type: "button", class: "mark", title: `${seconds(time)} ${text}`, "aria-label": `Event at ${seconds(time)}: ${text}`, onclick: () => seek(time) });
      mark.style.left = this.at(time);
      marks.append(mark);
    }
    marks.hidden = !times.size;
    return marks;
  }

  set time(t) {
    this.range.value = t;
    this.range.setAttribute("aria-valuetext", seconds(t));
  }

  /** Shows the part that is repeated; null: none. */
  show(part) {
    this.part.hidden = !part;
    if (!part) return;
    this.part.style.left = this.at(part[0]);
    this.part.style.right = `calc(100% - ${this.at(part[1])})`;
  }
}
