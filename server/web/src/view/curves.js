// Live curves of one joint, drawn from the poses that are here already: rotation in degrees, place in metres, a playhead.
import { Euler, Matrix4, Quaternion, Vector3 } from "three";
import { el } from "../dom.js";
import { ROW } from "./bones.js";

const MOST_SAMPLES = 240;
const WIDTH = 240, HEIGHT = 46; // of each diagram, in its own units
const AXES = ["x", "y", "z"];
const SVG = "http://www.w3.org/2000/svg";

function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** The joint and all above it, the highest first. */
function chainOf(joints, index) {
  const chain = [];
  for (let i = index; i >= 0; i = joints[i].parent) chain.unshift(i);
  return chain;
}

/** Turns that go on where they would jump by 360 degrees. */
function unwrapped(values) {
  for (let k = 1; k < values.length; k++) values[k] -= Math.round((values[k] - values[k - 1]) / 360) * 360;
  return values;
}

/** {times, rotation: [x, y, z], place: [x, y, z]}: a list of numbers each. */
export function curvesOf(poses, index) {
  const { joints, duration, frameCount, stride } = poses;
  const chain = joints[index].parent === undefined ? [index] : chainOf(joints, index);
  const count = Math.max(2, Math.min(frameCount, MOST_SAMPLES)), row = new Float32Array(stride);
  const curves = { times: [], rotation: AXES.map(() => []), place: AXES.map(() => []) };
  const whole = new Matrix4(), local = new Matrix4(), position = new Vector3(), scale = new Vector3(), turn = new Quaternion(), euler = new Euler();
  for (let k = 0; k < count; k++) {
    const t = (duration * k) / (count - 1);
    poses.sample(t, row);
    whole.identity();
    for (const i of chain)
      whole.multiply(local.compose(position.fromArray(row, i * ROW), turn.fromArray(row, i * ROW + 3), scale.fromArray(row, i * ROW + 7)));
    euler.setFromQuaternion(turn);
    position.setFromMatrixPosition(whole);
    curves.times.push(t);
    AXES.forEach((axis, a) => {
      curves.rotation[a].push((euler[axis] * 180) / Math.PI);
      curves.place[a].push(position[axis]);
    });
  }
  curves.rotation.forEach(unwrapped);
  return curves;
}

/** The value at a time between samples. */
function valueAt(values, share) {
  const at = share * (values.length - 1), k = Math.min(Math.floor(at), values.length - 2);
  return values[k] + (values[k + 1] - values[k]) * (at - k);
}

/** All in one scale, each around its own middle: what it does shows, where it is is said by its number. */
function diagram(lists, least) {
  const ends = lists.map((values) => [Math.min(...values), Math.max(...values)]);
  const half = Math.max(...ends.map(([low, high]) => (high - low) / 2), least) * 1.05;
  const points = (values, a) => values.map((value, k) => {
    const middle = (ends[a][0] + ends[a][1]) / 2;
    return `${((k / (values.length - 1)) * WIDTH).toFixed(1)},${(HEIGHT / 2 - ((value - middle) / half) * (HEIGHT / 2)).toFixed(1)}`;
  }).join(" ");
  const head = svg("line", { class: "head", x1: 0, x2: 0, y1: 0, y2: HEIGHT });
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    ...lists.map((values, a) => svg("polyline", { class: `axis-${AXES[a]}`, points: points(values, a) })), head);
  return [picture, head];
}

export class Curves {
  constructor() {
    this.known = new Map();
    this.element = el("div", { class: "curves", hidden: true, "aria-hidden": "true" });
  }

  /** Of another clip, or on another skeleton. */
  set poses(poses) {
    this.source = poses;
    this.known.clear();
    this.show(-1);
  }

  /** Shows a joint's curves; -1: none. */
  show(index, name, t = this.time ?? 0) {
    if (this.index === index && this.shown === this.source) return;
    this.index = index;
    this.shown = this.source;
    this.element.hidden = index < 0 || !(this.source?.duration > 0);
    if (this.element.hidden) return;
    if (!this.known.has(index)) this.known.set(index, curvesOf(this.source, index));
    const { rotation, place } = this.known.get(index);
    const [turns, first] = diagram(rotation, 1), [places, second] = diagram(place, 0.005);
    this.heads = [first, second];
    this.values = [rotation, place].map((lists) => lists.map((values, a) => ({ values, element: el("span", { class: `axis-${AXES[a]}` }) })));
    const line = (title, k, picture) => [el("div", { class: "legend" }, el("span", {}, title), ...this.values[k].map((one) => one.element)), picture];
    this.element.replaceChildren(el("b", {}, name), ...line("rotation, °", 0, turns), ...line("place, m", 1, places));
    this.at(t);
  }

  /** Moves the playhead. */
  at(t) {
    this.time = t;
    if (this.element.hidden) return;
    const share = Math.min(Math.max(t / this.source.duration, 0), 1);
    for (const head of this.heads) head.setAttribute("transform", `translate(${(share * WIDTH).toFixed(1)} 0)`);
    this.values.forEach((lists, k) => {
      for (const { values, element } of lists) element.textContent = valueAt(values, share).toFixed(k ? 3 : 1);
    });
  }
}
