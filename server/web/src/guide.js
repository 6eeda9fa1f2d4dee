// The guide on top of /docs: from finding a clip to showing it on a page, in words and pictures of a clip of this server.
import { Posed } from "../../../api/client/posed.js";
import { base, copyButton, el, ours, seconds } from "./dom.js";

const FRAMES = 6, HIGH = 150;
const FIRST_LINES = 9; // of an answer

/** A clip that can be seen to move: a walk, if there is one. */
async function example(posed) {
  for (const filter of [{ q: "walk" }, { sort: "-duration" }]) {
    const { items: [clip] } = await posed.clips({ ...filter, limit: 1 });
    if (clip) return clip;
  }
  return null;
}

function code(label, text) {
  const lines = el("pre", { class: "guide-code", tabindex: 0, role: "region", "aria-label": label }, text);
  return el("div", { class: "guide-lines" }, lines, copyButton(`Copy ${label}`, lines));
}

function step(number, title, words, ...shown) {
  return el("section", { class: "guide-step" }, el("h2", {}, el("span", { class: "guide-number", "aria-hidden": "true" }, number), title), el("p", {}, words), ...shown);
}

function answer(value) {
  const lines = JSON.stringify(value, null, 1).split("\n");
  return el("details", { class: "guide-answer" }, el("summary", {}, "The answer begins"),
    el("pre", { class: "guide-code", tabindex: 0 }, [...lines.slice(0, FIRST_LINES), lines.length > FIRST_LINES ? " …" : ""].join("\n")));
}

/** Fills an element; without any clip the words and commands are there alone. */
export async function showGuide(place) {
  const posed = new Posed(base), origin = location.origin + base;
  const clip = await example(posed).catch(() => null);
  const id = clip?.id ?? "ID", t = clip ? Number((clip.duration / 2).toFixed(2)) : 0.5;
  const pose = clip ? await posed.json(`/v1/clips/${id}/pose?t=${t}`).catch(() => null) : null;
  const picture = (type, options, alt) => (clip ? el("img", { src: posed.previewURL(id, type, options), width: options.width, height: options.height, alt, loading: "lazy" }) : null);
  const found = clip ? el("a", { class: "guide-card", href: ours(`/clip/${id}`) }, picture("png", { width: HIGH, height: HIGH, t }, ""), el("span", {}, el("b", {}, clip.name), ` ${seconds(clip.duration)}`)) : null;
  place.replaceChildren(...[
    el("p", { class: "guide-lead" }, "Five requests take you from a name to a figure that moves on your page. Reading needs no key; an id is made of the bytes of a clip and of its companion files, and with the same ones it is the same on every server."),
    step(1, "Find a clip", "Words match names, folders, archives, events and joints. Lists are paged: follow next.", code("the search", `curl "${origin}/v1/clips?q=walk&limit=5"`), found),
    step(2, "Look at it", "A still picture of any moment, an animated one, or several poses in a row. No graphics card is asked for.",
      code("the picture", `curl -o walk.png "${origin}/v1/clips/${id}/preview.png?t=${t}&width=320&height=320"`),
      picture("png", { frames: FRAMES, layout: "strip", width: FRAMES * HIGH, height: HIGH }, `${FRAMES} poses of ${clip?.name ?? "a clip"} in a row`)),
    step(3, "Ask for a pose", "Where every joint is at a moment: translation, rotation and scale, sampled by the rules of the game that the clip is of. Add as=f32 for floats without JSON, or ask /poses for all of it at once.",
      code("the pose", `curl "${origin}/v1/clips/${id}/pose?t=${t}"`), pose ? answer(pose) : null),
    step(4, "Take it with you", "GLB for Blender, three.js, Babylon and Godot, BVH for motion tools, or the file of another game. retarget=1 moves it to a person of that game.",
      code("the file", `curl -OJ "${origin}/v1/clips/${id}.glb"`)),
    step(5, "Show it on your page", "One script and one element; many on one page share what they draw with.",
      code("the element", `<script type="module" src="${origin}/posed-clip.js"></script>\n<posed-clip src="${origin}/clip/${id}" autoplay loop controls></posed-clip>`),
      picture("webp", { width: 240, height: 240, fps: 12 }, `${clip?.name ?? "A clip"}, moving`)),
    el("h2", { class: "guide-all" }, "Every operation"),
  ].filter(Boolean));
}
