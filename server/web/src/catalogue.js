// The catalogue: search, filters, and cards that load as they scroll into view.
import { debounce, el, failure, say, seconds } from "./dom.js";

const PAGE = 60;
const SORTS = [["", "Best match"], ["name", "Name"], ["-name", "Name, Z to A"], ["duration", "Shortest"], ["-duration", "Longest"], ["newest", "Newest"], ["format", "Format"]];
const FILTERS = ["q", "format", "archive", "sort"];

/** The archive that the list was filtered by, if any: links keep it, so that its companion files are used. */
const scopeOf = (clip) => new URLSearchParams(clip.links.self.split("?")[1]).get("archive") ?? undefined;
const clipPath = (clip) => `/clip/${clip.id}${scopeOf(clip) ? `?archive=${scopeOf(clip)}` : ""}`;

export function card(posed, clip) {
  const picture = el("img", {
    src: posed.previewURL(clip.id, "png", { archive: scopeOf(clip), width: 192, height: 192, t: Number((clip.duration / 3).toFixed(3)) }),
    width: 192, height: 192, loading: "lazy", decoding: "async", alt: "",
  });
  return el("li", { class: "card" },
    el("a", { href: clipPath(clip), "data-link": true },
      picture,
      el("span", { class: "name", title: clip.name }, clip.name),
      el("span", { class: "facts" }, `${clip.format} · ${seconds(clip.duration)}`)));
}

function select(name, label, options, value) {
  const list = el("select", { id: `filter-${name}`, name }, ...options.map(([key, text]) => el("option", { value: key }, text)));
  list.value = value ?? "";
  return el("label", { class: "field", for: `filter-${name}` }, label, list);
}

async function filterBar(posed, state, changed) {
  const bar = el("form", { class: "filters", "aria-label": "Filters" });
  bar.addEventListener("submit", (event) => event.preventDefault());
  const [formats, archives] = await Promise.all([posed.formats(), posed.archives({ limit: 1000 })]);
  const readable = formats.items.filter((format) => format.read && format.kinds.includes("clip"));
  bar.append(
    select("format", "Format", [["", "All"], ...readable.map((format) => [format.id, format.id])], state.format),
    select("archive", "Archive", [["", "All"], ...archives.items.map((archive) => [archive.id, archive.name])], state.archive),
    select("sort", "Sort", SORTS, state.sort ?? ""));
  bar.addEventListener("change", (event) => changed({ [event.target.name]: event.target.value || undefined }));
  return bar;
}

export function showCatalogue(posed, content) {
  document.title = "posed";
  const state = Object.fromEntries([...new URLSearchParams(location.search)].filter(([name]) => FILTERS.includes(name)));
  const search = document.getElementById("search");
  const count = el("p", { class: "count" });
  const list = el("ul", { class: "cards" });
  const end = el("div", { class: "end" });
  let next = null;
  let loading = new AbortController();
  search.value = state.q ?? "";

  async function more(first) {
    const path = first ?? next;
    if (!path) return;
    next = null;
    try {
      const page = await posed.json(path, { signal: loading.signal });
      list.append(...page.items.map((clip) => card(posed, clip)));
      next = page.next;
      count.textContent = page.total === 1 ? "1 clip" : `${page.total} clips`;
      if (first) say(count.textContent);
      if (!page.total) list.replaceChildren(el("li", { class: "empty" },
        ["q", "format", "archive"].some((name) => state[name]) ? "No clips match." : "No clips yet. Drop animation files or archives anywhere on this page."));
      if (page.did_you_mean?.length) list.append(el("li", { class: "empty" }, "Did you mean ",
        ...page.did_you_mean.flatMap((name, i) => [i ? ", " : "", el("a", { href: `/?q=${encodeURIComponent(name)}` }, name)]), "?"));
      if (first) performance.mark("catalogue");
      document.documentElement.dataset.ready = "catalogue";
      watcher.unobserve(end);
      watcher.observe(end); // fires again if the end is still in view
    } catch (error) {
      if (error.name !== "AbortError") list.append(el("li", { class: "empty" }, failure(error)));
    }
  }

  const watcher = new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) more();
  }, { rootMargin: "600px" });

  function reload() {
    loading.abort();
    loading = new AbortController();
    list.replaceChildren();
    const filter = new URLSearchParams(state.q ? state : { sort: "name", ...state });
    history.replaceState(null, "", Object.keys(state).length ? `/?${new URLSearchParams(state)}` : "/");
    filter.set("limit", PAGE);
    more(`/v1/clips?${filter}`);
  }

  function changed(values) {
    for (const [name, value] of Object.entries(values)) {
      if (value) state[name] = value;
      else delete state[name];
    }
    reload();
  }

  const onSearch = debounce(200, () => changed({ q: search.value.trim() }));
  search.addEventListener("input", onSearch);
  const filters = el("div");
  filterBar(posed, state, changed).then((bar) => filters.replaceWith(bar), (error) => filters.append(failure(error)));
  content.append(el("h1", { class: "visually-hidden" }, "Clips"), filters, count, list, end);
  reload();
  return () => {
    loading.abort();
    watcher.disconnect();
    search.removeEventListener("input", onSearch);
  };
}
