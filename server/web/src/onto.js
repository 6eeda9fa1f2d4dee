// "Play on": shows the clip on another skeleton, and how well it fits.
import { el, failure } from "./dom.js";

const degrees = (value) => `${value.toFixed(1)}°`;
const centimetres = (value) => `${(value * 100).toFixed(1)} cm`;

/** The choices of the menu: skeletons, then characters, labelled by name. */
export function peopleOptions({ items, characters }, games) {
  const where = new Map(items.map((one) => [one.skeleton, one]));
  const text = (one) => `${one.name} (${one.archive ? games.get(one.format) ?? one.format : "built in"})`;
  return [
    ["", "Own skeleton"],
    ...items.map((one) => [one.skeleton, text(one)]),
    ...characters.map((one) => [`${one.skeleton}:${one.id}`, `${one.name} (character, ${where.get(one.skeleton).name})`]),
  ];
}

/** The id of the skeleton of a choice. */
export const ontoOf = (choice) => choice.split(":")[0] || undefined;

function measures({ measures: m, scale }) {
  const facts = [
    ["Size", `× ${scale.toFixed(3)}`],
    ["Arms and legs off", `${degrees(m.limbs.mean)} on average, ${degrees(m.limbs.max)} at most`],
    ["Head, hips off", `${degrees(m.head)}, ${degrees(m.hips)}`],
    ["Lowest foot", `${centimetres(m.lowest_foot.target)} (source, scaled: ${centimetres(m.lowest_foot.source)})`],
    ["Feet slide", `${centimetres(m.skate.mean)} on average, ${centimetres(m.skate.max)} at most`],
  ];
  return el("dl", { class: "facts-list" }, ...facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

function mapping({ source, target, driven }) {
  const moved = new Set(driven);
  const how = (bone) => (bone && bone.how !== "table" ? ` (by the ${bone.how})` : "");
  const bones = Object.keys(target.mapped).filter((bone) => source.mapped[bone] || moved.has(bone));
  const cell = (bone) => el("td", {}, bone ? bone.joint + how(bone) : "–");
  return el("details", {},
    el("summary", {}, `${bones.length} bones, ${moved.size} moved`),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Bones" }, el("table", { class: "bones" },
      el("thead", {}, el("tr", {}, ...["Bone", "Here", "There"].map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, ...bones.map((bone) => el("tr", {}, el("th", { scope: "row" }, bone), cell(source.mapped[bone]), cell(target.mapped[bone])))))));
}

/** Fills the panel with the mapping and the measurements; resolves when done. */
export async function showFit(posed, id, options, panel, init) {
  panel.hidden = !options.onto;
  panel.replaceChildren();
  if (!options.onto) return;
  try {
    const fit = await posed.retarget(id, options, init);
    panel.replaceChildren(el("h2", {}, "Fit"), measures(fit), mapping(fit),
      ...fit.warnings.map((one) => el("p", { class: "notice" }, one.message)));
  } catch (error) {
    if (error.name !== "AbortError") panel.replaceChildren(failure(error));
  }
}
