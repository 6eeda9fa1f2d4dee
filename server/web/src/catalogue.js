// The list of clips: its query and its place are in the address, so that Back returns to both.
import { card } from "./list/cards.js";
import { debounce, el, failure, ours, say } from "./dom.js";
import { Facets, FILTERS } from "./list/facets.js";
import { Grid, PAGE } from "./grid.js";
import { foresee } from "./list/motion.js";
import { familyOf } from "./titles.js";
import { untilThere } from "./waiting.js";

const GHOSTS = 24; // while nothing is known
const REST_MS = 120;

/** The query of the address, without what is unknown. */
function readAddress() {
  const parameters = new URLSearchParams(location.search);
  return { state: Object.fromEntries([...parameters].filter(([name, value]) => FILTERS.includes(name) && value)), at: Number(parameters.get("at")) || 0 };
}

function address(state, at) {
  const query = new URLSearchParams(at ? { ...state, at } : state);
  return ours(query.size ? `/?${query}` : "/");
}

/** Which archives have characters of which family: their clips have a body. */
async function bodiesOf(posed, signal) {
  const { facets } = await posed.characters({ limit: 1, facets: "format" }, { signal });
  const bodies = await Promise.all(facets.format.map(async ({ value: format }) => {
    const { facets: { archive } } = await posed.characters({ limit: 1, format, facets: "archive" }, { signal });
    return archive.map((one) => `${familyOf(format)} ${one.value}`);
  }));
  return new Set(bodies.flat());
}

/** What to say instead of an empty list, with a way on. */
function nothing(state, meant, changed) {
  if (!FILTERS.some((name) => name !== "sort" && state[name]))
    return el("p", { class: "empty" }, "No clips yet. Drop animation files or archives anywhere on this page.");
  const link = (q) => el("a", { href: `/?q=${encodeURIComponent(q)}`, "data-link": true }, q);
  const clear = Object.fromEntries(FILTERS.map((name) => [name, undefined]));
  return el("div", { class: "empty" }, el("p", {}, "No clips match."),
    meant?.length ? el("p", {}, "Did you mean ", ...meant.flatMap((name, i) => [i ? ", " : "", link(name)]), "?") : null,
    el("p", {}, el("button", { type: "button", onclick: () => changed(clear) }, "Clear search and filters")));
}

export function showCatalogue(posed, content, finder) {
  document.title = "posed";
  const { state, at } = readAddress();
  const { y, width } = history.state ?? {};
  const count = el("p", { class: "count" }), list = el("ul", { class: "cards virtual" }), empty = el("div");
  const gone = new AbortController();
  let loading = new AbortController(), look = {}, bodies;
  finder.input.value = state.q ?? "";

  const query = () => (state.q ? state : { sort: "name", ...state });
  const grid = new Grid(list, (offset, limit, signal) => posed.clips({ ...query(), offset, limit }, { signal }), (clip) => card(posed, clip, look));
  const remember = debounce(REST_MS, () => {
    if (!gone.signal.aborted && !loading.busy) history.replaceState({ y: scrollY, width: innerWidth }, "", address(state, grid.place));
  });
  grid.onPlace = remember;
  grid.onError = (error) => { if (!(error instanceof TypeError)) empty.replaceChildren(failure(error)); else reload(grid.place); };

  /** Names of games and archives, and who has bodies: the cards do not wait for them. */
  function learn(signal) {
    const add = (known) => {
      if (signal.aborted) return;
      look = { ...look, ...known };
      grid.describe(look);
    };
    facets.names(signal).then(add, () => {});
    (bodies ??= bodiesOf(posed, gone.signal)).then((known) => add({ bodies: known }), () => (bodies = undefined));
  }

  async function reload(place = 0, height) {
    loading.abort();
    const now = (loading = new AbortController());
    now.busy = true;
    empty.replaceChildren();
    grid.begin(null, GHOSTS);
    facets.count(state, now.signal).catch(() => {});
    const { signal } = now;
    learn(signal);
    try {
      const page = await untilThere(() => posed.clips({ ...query(), limit: PAGE }, { signal }), empty, signal);
      count.textContent = page.total === 1 ? "1 clip" : `${page.total} clips`;
      say(count.textContent);
      grid.begin(page.items, page.total);
      if (!page.total) empty.replaceChildren(nothing(state, page.did_you_mean, changed));
      if (height) scrollTo(0, height);
      else if (place) grid.place = place;
      performance.mark("catalogue");
    } catch (error) {
      if (signal.aborted) return;
      grid.begin([], 0);
      empty.replaceChildren(failure(error));
    }
    now.busy = false;
    document.documentElement.dataset.ready = "catalogue";
  }

  function changed(values) {
    for (const [name, value] of Object.entries(values)) {
      if (value) state[name] = value;
      else delete state[name];
    }
    if ("q" in values) finder.input.value = state.q ?? "";
    history.replaceState(null, "", address(state, 0));
    greet();
    scrollTo(0, 0);
    reload();
  }

  const facets = new Facets(posed, changed);
  const unfollow = finder.listen((q) => { if (q !== (state.q ?? "")) changed({ q }); });
  const hero = el("div", { class: "hero" }, el("h1", {}, "Game animations to play, pose and take along"),
    el("p", {}, "Point at a card to see it move; open it for the figure in 3D, its curves and downloads. Drop files of your own anywhere to look at them."));
  const greet = () => hero.classList.toggle("visually-hidden", FILTERS.some((name) => name !== "sort" && state[name]));
  greet();
  content.append(hero, facets.element, count, empty, list);
  foresee(list, gone.signal);
  reload(at, width === innerWidth ? y : undefined);
  return () => {
    gone.abort();
    loading.abort();
    grid.dispose();
    unfollow();
  };
}
