// The page of one skeleton: how it stands, its joints as a tree, which of them are bones of a person, and who wears it.
import { el, failure } from "./dom.js";
import { ROW } from "./view/bones.js";
import { ANGLES, Viewer } from "./view/viewer.js";
import { titleOfFormat } from "./titles.js";
import { untilThere } from "./waiting.js";

const MOST_CHARACTERS = 200, LOOKED_AT = 24;

/** What the view shows: poses with one frame, in which every joint rests. */
function standing({ id, joints }) {
  const rest = Float32Array.from(joints.flatMap(({ translation, rotation, scale }) => [...translation, ...rotation, ...scale]));
  return {
    head: { skeleton: id }, joints: joints.map((joint) => ({ ...joint, driven: false })), duration: 0, frameCount: 1, stride: joints.length * ROW,
    sample: (t, row) => row.set(rest),
  };
}

const nameOf = ({ name, id }) => name ?? `#${id}`;

/** Nested lists; a joint is a button that shows where it is. choose(index). */
function tree(joints, bones, choose) {
  const buttons = [], children = joints.map(() => []);
  joints.forEach(({ parent }, i) => { if (parent >= 0) children[parent].push(i); });
  const roots = joints.flatMap(({ parent }, i) => (parent < 0 ? [i] : []));
  const build = (list) => el("ul", {}, ...list.map((i) => {
    const bone = bones.get(joints[i].name);
    buttons[i] = el("button", { type: "button", class: "link", "aria-pressed": "false", onclick: () => choose(i) }, nameOf(joints[i]));
    return el("li", {}, buttons[i], bone ? el("span", { class: "bone" }, ` ${bone}`) : null, children[i].length ? build(children[i]) : null);
  }));
  return [el("div", { class: "tree", role: "region", "aria-label": "Joints", tabindex: 0 }, build(roots)), buttons];
}

/** "leftUpperArm" as people say it. */
const spoken = (bone) => bone.replace(/([A-Z])/g, " $1").toLowerCase();

function list(title, items) {
  return items.length ? [el("h2", {}, title), el("ul", { class: "names" }, ...items)] : [];
}

/** The characters of its archive that have it. */
async function wearers(posed, { id, archive }, signal) {
  const { items } = await posed.characters({ archive, limit: MOST_CHARACTERS }, { signal });
  const whole = await Promise.all(items.slice(0, LOOKED_AT).map((one) => posed.inArchive(archive).character(one.id, {}, { signal }).catch(() => null)));
  return whole.filter((one) => one?.skeleton === id);
}

export function showSkeleton(posed, content, id) {
  const loading = new AbortController(), { signal } = loading;
  const title = el("h1", {}, "…"), stage = el("div", { class: "stage" }), tip = el("div", { class: "tip", hidden: true });
  const below = el("div", { class: "below" }), side = el("div", { class: "side" });
  content.append(el("article", { class: "clip" }, el("div", { class: "show" }, title, stage, below), side));
  const viewer = new Viewer(stage);
  stage.append(tip);
  stage.viewer = viewer;
  let buttons = [];

  function choose(index) {
    viewer.select(index);
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === index)));
    buttons[index]?.scrollIntoView({ block: "nearest" });
  }

  async function load() {
    const [skeleton, humanoid, formats] = await untilThere(() => Promise.all([
      posed.skeleton(id, { signal }), posed.humanoid(id, { signal }).catch(() => null), posed.formats({ signal })]), below, signal);
    const { joints } = skeleton;
    title.textContent = skeleton.name;
    document.title = `${skeleton.name} · posed`;
    viewer.setPoses(standing(skeleton));
    viewer.frameAll();
    const mapped = Object.entries(humanoid?.mapped ?? {}).filter(([, value]) => value);
    const [nested, made] = tree(joints, new Map(mapped.map(([bone, { joint }]) => [joint, spoken(bone)])), choose);
    buttons = made;
    const scope = posed.archive ? `?archive=${posed.archive}` : "";
    const file = (extension) => el("a", { class: "quiet", href: posed.skeletonURL(id, extension), download: true }, extension.toUpperCase());
    below.append(
      el("div", { class: "options angles", role: "group", "aria-label": "Camera" }, ...Object.keys(ANGLES).map((angle) =>
        el("button", { type: "button", class: "quiet", onclick: () => viewer.frameAll(angle) }, angle))),
      el("h2", {}, joints.length === 1 ? "1 joint" : `${joints.length} joints`), nested);
    side.append(
      el("p", { class: "count" }, [titleOfFormat(formats.items, skeleton.format), humanoid ? `a person's: ${mapped.length} bones recognised` : "no person's"].join(" · ")),
      el("p", {}, file("glb"), " ", file("json")));
    document.documentElement.dataset.ready = "skeleton";
    if (!skeleton.archive) return; // built in
    const [characters, clips] = await Promise.all([wearers(posed, skeleton, signal), posed.clips({ archive: skeleton.archive, limit: 1 }, { signal })]);
    side.append(
      el("p", {}, el("a", { class: "quiet", href: `/archive/${skeleton.archive}`, "data-link": true }, "Its archive"), " ",
        clips.total ? el("a", { class: "quiet", href: `/?archive=${skeleton.archive}`, "data-link": true }, clips.total === 1 ? "1 clip beside it" : `${clips.total} clips beside it`) : ""),
      ...list("Worn by", characters.map((one) => el("li", {}, el("a", { href: `/character/${one.id}${scope}`, "data-link": true }, one.name)))));
  }

  viewer.onHover = (index, event) => {
    tip.hidden = index < 0;
    if (index < 0) return;
    const box = stage.getBoundingClientRect();
    tip.textContent = nameOf(viewer.poses.joints[index]);
    tip.style.transform = `translate(${event.clientX - box.left + 12}px, ${event.clientY - box.top + 12}px)`;
  };
  viewer.onSelect = choose;
  load().catch((error) => {
    if (error.name === "AbortError") return;
    document.title = `${(title.textContent = "No skeleton to show")} · posed`;
    stage.hidden = true;
    below.append(failure(error));
  }).finally(() => (document.documentElement.dataset.ready = "skeleton"));
  return () => {
    loading.abort();
    viewer.dispose();
  };
}
