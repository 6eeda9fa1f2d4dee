// The search box, which is on every page: the list narrows as one types, other pages lead to it; names are suggested.
import { debounce, el } from "./dom.js";

const SUGGESTED = 8;
const REST_MS = 200;

/** listen(search) makes a page follow what is typed and returns how to end that. */
export class Finder {
  constructor(posed, go) {
    this.input = document.getElementById("search");
    this.names = el("datalist", { id: "names" });
    this.input.after(this.names);
    this.input.setAttribute("list", "names");
    this.controller = new AbortController();
    const suggest = debounce(REST_MS, () => this.suggest(posed));
    const tell = debounce(REST_MS, () => this.follow?.(this.input.value.trim()));
    this.input.addEventListener("input", () => { suggest(); tell(); });
    this.input.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const q = this.input.value.trim();
      if (!this.follow) go(q ? `/?q=${encodeURIComponent(q)}` : "/");
    });
  }

  listen(follow) {
    this.follow = follow;
    return () => (this.follow = undefined);
  }

  async suggest(posed) {
    this.controller.abort();
    this.controller = new AbortController();
    const q = this.input.value.trim();
    if (!q) return this.names.replaceChildren();
    const { items, did_you_mean: meant = [] } = await posed.clips({ q, limit: 4 * SUGGESTED }, { signal: this.controller.signal }).catch(() => ({ items: [] }));
    const names = [...new Set([...items.map((clip) => clip.name), ...meant])].slice(0, SUGGESTED);
    this.names.replaceChildren(...names.map((name) => el("option", { value: name })));
  }
}
