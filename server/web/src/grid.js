// A long list as a grid of which only the rows in sight exist: items are fetched by pages as they come into sight.
import { ghost } from "./list/cards.js";

const PAGE = 60, KEPT_PAGES = 12;
const NARROWEST = 176, GAP = 16, TEXT = 112; // pixels: of a card's width, between cards, below its picture
const SPARE_ROWS = 2;
const HIGHEST = 12_000_000; // browsers end elements somewhere above this
const REST_MS = 60; // pages that a scroll only passes are not fetched

export class Grid {
  /**
   * @param list an empty <ul>
   * @param fetchPage (offset, limit, signal) → {items, total}
   * @param make (item) → <li>
   */
  constructor(list, fetchPage, make) {
    Object.assign(this, { list, fetchPage, make, total: 0, pages: new Map(), shown: new Map() });
    this.onPlace = () => {};
    this.onError = () => {};
    this.redraw = () => (this.pending ||= requestAnimationFrame(() => { this.pending = 0; this.render(); }));
    addEventListener("scroll", this.redraw, { passive: true });
    this.resizer = new ResizeObserver(() => this.lay() && this.render());
    this.resizer.observe(list);
  }

  dispose() {
    removeEventListener("scroll", this.redraw);
    cancelAnimationFrame(this.pending);
    clearTimeout(this.timer);
    this.resizer.disconnect();
    this.forget();
    this.isGone = true;
  }

  forget() {
    for (const page of this.pages.values()) page.controller?.abort();
    this.pages.clear();
    for (const { element } of this.shown.values()) element.remove();
    this.shown.clear();
  }

  /** Begins anew, with the first page of another query, or with null: only ghosts. */
  begin(first, total) {
    this.forget();
    this.total = total;
    if (first) this.pages.set(0, { items: first });
    this.list.setAttribute("aria-busy", String(!first));
    this.lay();
    this.render();
  }

  /** What was learnt since the cards were made is written on them. */
  describe(look) {
    for (const { element } of this.shown.values()) element.describe?.(look);
  }

  /** Measures; returns whether the layout has changed. */
  lay() {
    const width = this.list.clientWidth;
    if (!width) return false;
    this.columns = Math.max(Math.floor((width + GAP) / (NARROWEST + GAP)), 2);
    this.width = (width - GAP * (this.columns - 1)) / this.columns;
    this.row = Math.round(this.width + TEXT + GAP);
    const height = `${Math.min(Math.ceil(this.total / this.columns) * this.row, HIGHEST)}px`;
    const changed = this.list.style.height !== height || this.laidFor !== width;
    this.list.style.height = height;
    this.laidFor = width;
    return changed;
  }

  get top() {
    return this.list.getBoundingClientRect().top + scrollY;
  }

  /** How many cards come before the first in sight. */
  get place() {
    return Math.min(Math.max(Math.round((scrollY - this.top) / this.row), 0) * this.columns, Math.max(this.total - 1, 0));
  }

  set place(index) {
    const row = Math.floor(index / this.columns);
    scrollTo(0, row ? this.top + row * this.row - document.querySelector(".bar").offsetHeight : 0);
  }

  render() {
    if (this.isGone || !this.row) return;
    const above = scrollY - this.top;
    const first = Math.max(Math.floor(above / this.row) - SPARE_ROWS, 0) * this.columns;
    const last = Math.min((Math.ceil((above + innerHeight) / this.row) + SPARE_ROWS) * this.columns, this.total);
    for (const [index, { element }] of this.shown) {
      if ((index >= first && index < last) || element.contains(document.activeElement)) continue;
      element.remove();
      this.shown.delete(index);
    }
    for (let index = first; index < last; index++) this.show(index);
    this.want(first, last);
    this.onPlace(this.place);
  }

  show(index) {
    const item = this.pages.get(Math.floor(index / PAGE))?.items?.[index % PAGE];
    let one = this.shown.get(index);
    if (!one || (item && !one.item)) {
      const element = item ? this.make(item) : ghost();
      element.setAttribute("aria-posinset", index + 1);
      element.setAttribute("aria-setsize", this.total);
      if (one) one.element.replaceWith(element);
      else this.insert(index, element);
      this.shown.set(index, (one = { element, item }));
    }
    const { style } = one.element;
    style.width = `${this.width}px`;
    style.height = `${this.row - GAP}px`;
    style.transform = `translate(${(index % this.columns) * (this.width + GAP)}px, ${Math.floor(index / this.columns) * this.row}px)`;
  }

  /** In the order of the list, which is that of the keyboard. */
  insert(index, element) {
    element.dataset.index = index;
    let before = this.list.lastElementChild;
    while (before && Number(before.dataset.index) > index) before = before.previousElementSibling;
    if (before) before.after(element);
    else this.list.prepend(element);
  }

  /** Fetches what is missing between two indices, once the list stands still, and forgets what is far away. */
  want(first, last) {
    clearTimeout(this.timer);
    const pages = [];
    for (let page = Math.floor(first / PAGE); page * PAGE < last; page++) pages.push(page);
    for (const [page, one] of this.pages) {
      if (pages.includes(page)) continue;
      if (one.controller) {
        one.controller.abort();
        this.pages.delete(page);
      } else if (this.pages.size > KEPT_PAGES && page) {
        this.pages.delete(page);
      }
    }
    const missing = pages.filter((page) => !this.pages.has(page));
    if (missing.length && !this.list.matches("[aria-busy=true]")) this.timer = setTimeout(() => missing.forEach((page) => this.fetch(page)), REST_MS);
  }

  async fetch(page) {
    if (this.pages.has(page)) return;
    const controller = new AbortController(), one = { controller };
    this.pages.set(page, one);
    try {
      const { items } = await this.fetchPage(page * PAGE, PAGE, controller.signal);
      if (this.pages.get(page) !== one) return;
      this.pages.set(page, { items });
      this.redraw();
    } catch (error) {
      if (this.pages.get(page) === one) this.pages.delete(page);
      if (error.name !== "AbortError") this.onError(error);
    }
  }
}

export { PAGE };
