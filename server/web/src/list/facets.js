// The filters of the list, each with how many clips its values have.
import { el } from "../dom.js";
import { gameNames } from "../titles.js";

const SORTS = [["name", "Name"], ["-name", "Name, Z to A"], ["duration", "Shortest"], ["-duration", "Longest"], ["newest", "Newest"], ["format", "Game"]];
const LOOPS = { true: "Loops", false: "Does not loop", null: "Not said" };
const MOST_ARCHIVES = 1000;

/** Names of parameters, and of the facets that list their values. */
const FACETS = { format: "format", archive: "archive", loop: "loop", event: "events" };
export const FILTERS = ["q", ...Object.keys(FACETS), "sort"];

function select(name, label) {
  const list = el("select", { id: `filter-${name}`, name });
  return [list, el("label", { class: "field", for: `filter-${name}` }, label, list)];
}

/** Without a search they begin with the order that the list has then. */
const sortsOf = ({ q }) => (q ? [["", "Best match"], ...SORTS] : [["", "Name"], ...SORTS.slice(1)]);

function fill(list, options, value) {
  list.replaceChildren(...options.map(([key, text]) => el("option", { value: key }, text)));
  if (value && !options.some(([key]) => key === value)) list.append(el("option", { value }, `${value} (0)`));
  list.value = value ?? "";
}

export class Facets {
  /** changed({name: value}) is called when the reader has chosen. */
  constructor(posed, changed) {
    this.posed = posed;
    this.changed = changed;
    this.lists = {};
    this.element = el("form", { class: "filters", "aria-label": "Filters", onsubmit: (event) => event.preventDefault() });
    this.games = el("div", { class: "games", role: "group", "aria-label": "Game" });
    this.element.append(this.games);
    for (const [name, label] of [["archive", "Archive"], ["loop", "Loop"], ["event", "Event"], ["sort", "Sort"]]) {
      const [list, field] = select(name, label);
      this.lists[name] = list;
      fill(list, name === "sort" ? sortsOf({}) : [["", "All"]]);
      this.element.append(field);
    }
    this.element.addEventListener("change", (event) => changed({ [event.target.name]: event.target.value || undefined }));
  }

  /** The names behind ids: {games, archives}. */
  names(signal) {
    const { posed } = this;
    this.known ??= Promise.all([posed.formats({ signal }), posed.archives({ limit: MOST_ARCHIVES }, { signal })]).then(([formats, archives]) => ({
      games: gameNames(formats.items), archives: new Map(archives.items.map((one) => [one.id, one.name])),
    }));
    this.known.catch(() => (this.known = undefined));
    return this.known;
  }

  /** Counts anew: each facet under all filters but its own. */
  async count(state, signal) {
    const sorts = sortsOf(state);
    fill(this.lists.sort, sorts, sorts.some(([key]) => key === state.sort) ? state.sort : "");
    const { games, archives } = await this.names(signal);
    const text = {
      archive: (value) => archives.get(value) ?? value.slice(0, 8),
      loop: (value) => LOOPS[value], event: (value) => value,
    };
    await Promise.all(this.queries(state).map(async ([query, names]) => {
      const { facets } = await this.posed.clips({ ...query, limit: 1, facets: names.map((name) => FACETS[name]).join(",") }, { signal });
      for (const name of names) {
        if (name === "format") {
          this.showGames(facets.format, games, state.format);
          continue;
        }
        const values = facets[FACETS[name]].map(({ value, count }) => [String(value), `${text[name](value)} (${count})`]);
        fill(this.lists[name], [["", "All"], ...values], state[name]);
        this.lists[name].closest("label").hidden = !values.length && !state[name];
      }
    }));
  }

  /** A button for each game, with how many clips are of it; the focus stays where it is. */
  showGames(values, games, chosen) {
    if (chosen && !values.some((one) => one.value === chosen)) values = [...values, { value: chosen, count: 0 }];
    const focused = this.games.contains(document.activeElement) ? document.activeElement.value : null;
    const button = (value, name, count) => el("button", {
      type: "button", class: "game", value, "aria-pressed": String(value === (chosen ?? "")), onclick: () => this.changed({ format: value || undefined }),
    }, name, count === undefined ? null : el("span", { class: "number" }, ` ${count.toLocaleString("en")}`));
    this.games.replaceChildren(button("", "All games"), ...values.map(({ value, count }) => button(value, games.get(value) ?? value, count)));
    if (focused !== null) [...this.games.children].find((one) => one.value === focused)?.focus();
  }

  /** [query, facets to count with it]. */
  queries({ sort, ...state }) {
    const chosen = Object.keys(FACETS).filter((name) => state[name]);
    const others = Object.keys(FACETS).filter((name) => !state[name]);
    return [...(others.length ? [[state, others]] : []), ...chosen.map((name) => [{ ...state, [name]: undefined }, [name]])];
  }
}
