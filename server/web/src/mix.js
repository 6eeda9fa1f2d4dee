// "Mix": several clips on the avatar, each begun at a time of its own on a timeline.
import { debounce, el, failure, seconds } from "./dom.js";

const MOST = 5;
const FPS = 30;
const STEP = 0.1;
/** The timeline is this long at least, and goes on a little after the last clip. */
const SHORTEST = 4, MARGIN = 1;
/** What shall play on and on is looked at for this long. */
const LONGEST = 60;

/** The ways to mix: as Second Life's viewer does, or each clip fading into the next. */
const WAYS = {
  viewer: ["As the viewer", (rows) => ({ mix: "sl", layers: rows.map((row) => ({ clip: row.id, start: row.start, stop: row.start + row.length })) })],
  fade: ["Cross-fade", (rows) => ({
    crossfade: [...rows].sort((a, b) => a.start - b.start).map((row) => ({ clip: row.id, at: row.start, duration: 0.3 })),
  })],
};

/** A row of the timeline: a bar from the start of a clip to its end, moved by dragging or by keys. */
function makeRow(row, rows, scale, change) {
  const bar = el("div", {
    class: "mix-bar", tabindex: 0, role: "slider", "aria-label": `Start of ${row.name}`, "aria-valuemin": 0, "aria-valuemax": LONGEST,
  }, row.name);
  const place = () => {
    bar.style.left = `${(row.start / scale()) * 100}%`;
    bar.style.width = `${(row.length / scale()) * 100}%`;
    bar.setAttribute("aria-valuenow", row.start);
    bar.setAttribute("aria-valuetext", seconds(row.start));
  };
  const move = (start) => {
    row.start = Number(Math.min(Math.max(start, 0), LONGEST).toFixed(2));
    change(row);
  };
  bar.addEventListener("pointerdown", (event) => {
    const lane = bar.parentElement.clientWidth, from = event.clientX, start = row.start, whole = scale();
    bar.setPointerCapture(event.pointerId);
    bar.onpointermove = (moved) => move(start + ((moved.clientX - from) / lane) * whole);
    bar.onpointerup = bar.onpointercancel = () => (bar.onpointermove = null);
  });
  bar.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    if (by === undefined && event.key !== "Home") return;
    event.preventDefault();
    event.stopPropagation();
    move(by === undefined ? 0 : row.start + by);
  });
  const remove = el("button", {
    type: "button", class: "quiet", "aria-label": `Remove ${row.name}`, disabled: rows.length < 2, onclick: () => change(row, true),
  }, "×");
  return { element: el("div", { class: "mix-row" }, el("div", { class: "mix-lane" }, bar), remove), place };
}

/**
 * The panel of a clip's page, {element, again}: again mixes anew. show(poses, clip) shows poses instead of the clip's own,
 * leave() goes back to these; options() is what else to ask for. Clips of the same format can be mixed.
 */
export function mixPanel(posed, clip, { show, leave, options }) {
  const rows = [{ id: clip.id, name: clip.name, start: 0, length: clip.duration }];
  const lanes = el("div", { class: "mix-lanes" });
  const state = el("p", { class: "count", role: "status" });
  const bad = el("div", {});
  const found = el("datalist", { id: "mix-clips" });
  const byName = new Map();
  const plays = clip.format === "sl-anim" ? ["viewer", "fade"] : ["fade"];
  let way = plays[0];
  let asked;

  const end = () => Math.max(...rows.map((row) => row.start + row.length));
  const scale = () => Math.max(SHORTEST, end() + MARGIN);
  const item = () => ({ ...WAYS[way][1](rows), ...options(), fps: FPS, from: 0, to: Math.min(scale(), LONGEST) });

  async function mix() {
    asked?.abort();
    asked = new AbortController();
    const { signal } = asked;
    try {
      const poses = await posed.mixed(item(), { signal });
      if (signal.aborted) return;
      bad.replaceChildren();
      state.textContent = `${rows.length} of at most ${MOST} clips, ${seconds(poses.duration)}`;
      show(poses, { ...clip, duration: poses.duration, fps: FPS, loop: null, loop_in: 0, loop_out: poses.duration });
    } catch (error) {
      if (error.name !== "AbortError") bad.replaceChildren(failure(error));
    }
  }
  const later = debounce(150, mix);

  let placed = [];
  function draw() {
    placed = rows.map((row) => makeRow(row, rows, scale, change));
    lanes.replaceChildren(...placed.map((one) => one.element));
    placed.forEach((one) => one.place());
    search.disabled = rows.length >= MOST;
  }

  function change(row, removes = false) {
    if (removes) {
      rows.splice(rows.indexOf(row), 1);
      draw();
    } else {
      placed.forEach((one) => one.place());
    }
    later();
  }

  const search = el("input", {
    type: "search", id: "mix-search", list: "mix-clips", placeholder: "Add a clip", autocomplete: "off", spellcheck: "false",
    oninput: () => look(), onchange: () => add(),
  });
  const look = debounce(150, async () => {
    const { items } = await posed.clips({ q: search.value || undefined, format: clip.format, limit: 30 }).catch(() => ({ items: [] }));
    found.replaceChildren(...items.map((one) => {
      byName.set(one.name, one);
      return el("option", { value: one.name });
    }));
    add();
  });
  function add() {
    const one = byName.get(search.value);
    if (!one || rows.length >= MOST) return;
    rows.push({ id: one.id, name: one.name, start: Number(Math.min(end() / 2, LONGEST).toFixed(1)), length: Math.max(one.duration, STEP) });
    search.value = "";
    draw();
    later();
  }

  const ways = el("select", { id: "mix-way", onchange: () => { way = ways.value; later(); } },
    ...plays.map((name) => el("option", { value: name }, WAYS[name][0])));
  const save = (to, extension) => el("button", {
    type: "button", class: "quiet", onclick: async () => {
      try {
        const link = el("a", { href: URL.createObjectURL(await posed.mixedFile(item(), to, { name: `${clip.name}-mix.${extension}` })), download: `${clip.name}-mix.${extension}` });
        link.click();
        URL.revokeObjectURL(link.href);
      } catch (error) {
        bad.replaceChildren(failure(error));
      }
    },
  }, `.${extension}`);
  const saves = el("div", { class: "buttons" }, save("glb", "glb"), clip.format.endsWith("-anim") ? save(clip.format, "anim") : null);
  const panel = el("details", { class: "mix" }, el("summary", {}, "Mix with other clips"),
    lanes, state, bad,
    el("div", { class: "options" },
      el("div", { class: "field" }, el("label", { for: "mix-search" }, "Clip"), search, found),
      el("div", { class: "field" }, el("label", { for: "mix-way" }, "How"), ways), saves));
  panel.addEventListener("toggle", () => {
    if (panel.open) {
      draw();
      look();
      mix();
    } else {
      asked?.abort();
      leave();
    }
  });
  return { element: panel, again: later };
}
