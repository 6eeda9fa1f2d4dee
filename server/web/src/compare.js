// Two clips side by side, in step, and how far they are apart: for each joint, and over time.
import "../../../api/client/element/element.js";
import { debounce, el, failure, seconds } from "./dom.js";
import { icon } from "./icons.js";
import { titleOf } from "./titles.js";

const FOUND = 20, REST_MS = 200;
const TURN = 1e-9;
const PICTURE = 192;

const address = (id, other, scope) => `/compare/${id}?${new URLSearchParams({ with: other, ...(scope ? { archive: scope } : {}) })}`;
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** A clock for all of them: those that are shorter wait at their end. */
function clock(views, duration) {
  let time = 0, last, request;
  const range = el("input", { type: "range", class: "time", min: 0, max: duration || 1, step: "any", value: 0, "aria-label": "Time", oninput: () => { stop(); show(Number(range.value)); } });
  const readout = el("output", { class: "readout" });
  const button = el("button", { type: "button", class: "primary icon play", onclick: () => (request ? stop() : play()) });
  function show(t) {
    time = t;
    range.value = t;
    range.setAttribute("aria-valuetext", seconds(t));
    readout.textContent = `${t.toFixed(2)} / ${duration.toFixed(2)} s`;
    for (const view of views) view.currentTime = Math.min(t, view.duration);
  }
  function face() {
    button.replaceChildren(icon(request ? "pause" : "play"));
    button.setAttribute("aria-label", request ? "Pause" : "Play");
  }
  function tick(now) {
    const t = time + (last === undefined ? 0 : (now - last) / 1000);
    last = now;
    show(t > duration ? t % Math.max(duration, TURN) : t);
    request = requestAnimationFrame(tick);
  }
  function play() {
    last = undefined;
    request = requestAnimationFrame(tick);
    face();
  }
  function stop() {
    cancelAnimationFrame(request);
    request = 0;
    face();
  }
  face();
  show(0);
  if (duration > 0 && !still()) play();
  return { stop, element: el("div", { class: "player", role: "group", "aria-label": "Playback" }, el("div", { class: "track" }, range), el("div", { class: "buttons" }, button, readout)) };
}

const cell = ({ mean, max }, factor, unit) => [mean, max].map((value) => el("td", {}, `${(value * factor).toFixed(1)}${unit}`));

/** The joints, those that differ most first. */
function differences({ joints }) {
  const sorted = [...joints].sort((a, b) => b.rotation_deg.max - a.rotation_deg.max);
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Joints" }, el("table", { class: "rejected numbers" },
    el("thead", {}, el("tr", {}, ...["Joint", "Turned, mean", "at most", "Moved, mean", "at most"].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, ...sorted.map((one) => el("tr", {}, el("th", { scope: "row" }, one.name ?? "–"), ...cell(one.rotation_deg, 1, "°"), ...cell(one.distance_m, 100, " cm"))))));
}

function choice(posed, clip, other) {
  const src = posed.previewURL(other.id, "png", { width: PICTURE, height: PICTURE, t: Number((other.duration / 3).toFixed(3)) });
  return el("li", { class: "card" }, el("a", { href: address(clip.id, other.id, posed.archive), "data-link": true },
    el("span", { class: "picture" }, el("img", { src, width: PICTURE, height: PICTURE, loading: "lazy", alt: "" })),
    el("span", { class: "name", title: other.name }, titleOf(other)), el("span", { class: "facts" }, seconds(other.duration))));
}

/** A field that finds the other clip; before anything is searched for, those of its game, or all where it is the only one. */
function chooser(posed, clip) {
  const list = el("ul", { class: "cards choices" });
  let last;
  const find = async () => {
    const q = field.value.trim(), mine = (last = {});
    const others = async (query) => (await posed.clips({ limit: FOUND, ...query })).items.filter((one) => one.id !== clip.id);
    let found = await others(q ? { q } : { format: clip.format, sort: "name" });
    if (!q && !found.length) found = await others({ sort: "name" });
    if (mine === last) list.replaceChildren(...found.map((one) => choice(posed, clip, one)));
  };
  const field = el("input", { type: "search", id: "other", placeholder: "Search all clips", oninput: debounce(REST_MS, find) });
  find();
  return [el("label", { class: "field", for: "other" }, "Compare it with", field), list];
}

export function showCompare(posed, content, id) {
  const other = new URLSearchParams(location.search).get("with");
  const title = el("h1", {}, "Compare"), loading = new AbortController(), { signal } = loading;
  let player;
  content.append(title);

  async function load() {
    // The other clip may lie in another archive.
    const anywhere = posed.inArchive(undefined);
    const clip = await posed.clip(id, { signal });
    document.title = `Compare ${clip.name} · posed`;
    title.textContent = `Compare ${clip.name}`;
    if (!other) return content.append(...chooser(anywhere, clip));
    const second = await anywhere.clip(other, { signal });
    title.textContent = `${clip.name} and ${second.name}`;
    document.title = `${title.textContent} · posed`;
    const sources = [`/clip/${clip.id}${posed.archive ? `?archive=${posed.archive}` : ""}`, `/clip/${second.id}`];
    const views = sources.map((src, i) => el("posed-clip", { src, title: [clip, second][i].name }));
    const ready = Promise.all(views.map((view) => new Promise((done) => ["ready", "error"].forEach((type) => view.addEventListener(type, done, { once: true })))));
    content.append(el("div", { class: "pair" }, ...[clip, second].map((one, i) => el("figure", {}, views[i],
      el("figcaption", {}, el("a", { href: sources[i], "data-link": true }, one.name), ` ${seconds(one.duration)}`)))));
    const [difference] = await Promise.all([posed.diff(id, other, {}, { signal }).catch((error) => error), ready]);
    if (signal.aborted) return;
    player = clock(views, Math.max(clip.duration, second.duration));
    content.append(player.element);
    if (difference instanceof Error) return content.append(failure(difference));
    const picture = `/v1/clips/${id}/diff?${new URLSearchParams({ with: other, as: "svg", ...(posed.archive ? { archive: posed.archive } : {}) })}`;
    content.append(el("h2", {}, "Over time"), el("img", { class: "plot", src: picture, alt: "How far all joints are apart, over time" }), el("h2", {}, "Joints"), differences(difference));
  }

  load().catch((error) => { if (!signal.aborted) content.append(failure(error)); })
    .finally(() => { if (!signal.aborted) document.documentElement.dataset.ready = "compare"; });
  return () => {
    loading.abort();
    player?.stop();
  };
}
