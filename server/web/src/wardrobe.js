// "Body": a menu with search for who plays a clip, and for the parts that are laid on a character.
import { debounce, el } from "./dom.js";

const FIRST = 100, FOUND = 30;
const WORDS = [["Automatic", {}], ["Bones", { mesh: "bones" }], ["Mannequin", { mesh: "mannequin" }]];

/** Meshes that fit a character, to be ticked; change(with) gets their ids, "none", or undefined for what fits. */
export function partsPicker(change) {
  const list = el("div", { class: "parts" });
  const element = el("details", { class: "wardrobe", hidden: true }, el("summary", {}, "Parts"), list);
  const chosen = new Set();
  const tick = (label, checked, act) =>
    el("label", { class: "check" }, el("input", { type: "checkbox", checked, onchange: (event) => act(event.target.checked) }), label);

  function show({ suggest }, worn, fits) {
    chosen.clear();
    for (const id of worn && worn !== "none" ? worn.split(",") : []) chosen.add(id);
    element.hidden = !suggest.length;
    const told = () => change(chosen.size ? [...chosen].join(",") : "none");
    const items = suggest.map(({ mesh, name, place }) => tick(`${place}: ${name}`, chosen.has(mesh), (on) => {
      if (on) chosen.add(mesh);
      else chosen.delete(mesh);
      if (whatFits) whatFits.firstChild.checked = false;
      told();
    }));
    const whatFits = fits ? tick("What fits", worn === undefined, (on) => {
      for (const item of items) item.firstChild.checked = false;
      chosen.clear();
      change(on ? undefined : "none");
    }) : null;
    list.replaceChildren(...[whatFits, ...items].filter(Boolean));
  }

  return { element, show, hide: () => (element.hidden = true) };
}

/**
 * The menu of a clip. choice: {mesh, character, with}, which it changes before it calls change().
 * @returns {element, parts, load(clip), tell(), toggle()}
 */
export function bodyMenu(posed, choice, change) {
  const names = new Map(WORDS);
  const list = el("datalist", { id: "bodies" });
  const input = el("input", { type: "search", id: "body", list: "bodies", placeholder: "Automatic", autocomplete: "off" });
  const element = el("label", { class: "field", for: "body" }, "Body", input, list);
  const parts = partsPicker((worn) => apply({ character: choice.character, with: worn }));
  let last = {};

  const textOf = ({ mesh, character }) => [...names].find(([, one]) => one.mesh === mesh && one.character === character)?.[0] ?? character ?? mesh ?? "";

  function add(text, one) {
    if ([...names.values()].some((known) => known.mesh === one.mesh && known.character === one.character)) return;
    for (let unique = text, i = 2; ; unique = `${text} (${i++})`) {
      if (names.has(unique)) continue;
      names.set(unique, one);
      list.append(el("option", { value: unique }));
      return;
    }
  }

  function tell() {
    input.value = choice.mesh || choice.character ? textOf(choice) : "";
  }

  async function showParts() {
    parts.hide();
    const { character } = choice;
    if (!character) return;
    const found = await posed.inArchive(undefined).character(character).catch(() => null);
    if (found && choice.character === character) parts.show(found, choice.with, true);
  }

  function apply(one) {
    const isSame = one.character && one.character === choice.character;
    Object.assign(choice, { mesh: one.mesh, character: one.character, with: one.with });
    tell();
    if (!isSame) showParts();
    change();
  }

  const search = debounce(250, async () => {
    const text = input.value.trim();
    if (!text || names.has(text)) return;
    const found = await posed.characters({ q: text, limit: FOUND }).catch(() => ({ items: [] }));
    for (const one of found.items) add(one.name, { character: one.id });
  });
  input.addEventListener("input", search);
  input.addEventListener("change", () => {
    const one = input.value.trim() ? names.get(input.value.trim()) : {};
    if (one) apply(one);
    else tell();
  });

  return {
    element, parts: parts.element, tell,
    async load(clip) {
      const nothing = { items: [] };
      const [characters, meshes] = await Promise.all([
        posed.characters({ limit: FIRST }).catch(() => nothing), posed.meshes({ archive: clip.archive, limit: FIRST }).catch(() => nothing)]);
      list.replaceChildren(...WORDS.map(([text]) => el("option", { value: text })));
      for (const one of characters.items) add(one.name, { character: one.id });
      for (const one of meshes.items) if (one.face_count > 0) add(`${one.name} (mesh)`, { mesh: one.id });
      tell();
      showParts();
    },
    /** Between the body and the bones. */
    toggle() {
      const isBones = choice.mesh === "bones";
      if (!isBones) last = { mesh: choice.mesh, character: choice.character, with: choice.with };
      apply(isBones ? last : { mesh: "bones" });
    },
    set disabled(on) {
      input.disabled = on;
    },
  };
}
