// The page of one character: what it is made of, what it can do, and all of it as one file.
import { el, failure } from "./dom.js";

const FIRST_CLIPS = 200;

function names(title, items) {
  return items.length ? [el("h2", {}, title), el("ul", { class: "names" }, ...items)] : [];
}

function count(items, one, several) {
  return `${items.length} ${items.length === 1 ? one : several}`;
}

export function showCharacter(posed, content, id) {
  const loading = new AbortController();
  const title = el("h1", {}, "…");
  const scope = posed.archive ? `?archive=${posed.archive}` : "";
  content.append(title);

  async function load() {
    const character = await posed.json(`/v1/characters/${id}${scope}`, { signal: loading.signal });
    const clips = character.clips.slice(0, FIRST_CLIPS);
    title.textContent = character.name;
    document.title = `${character.name} · posed`;
    content.append(
      el("p", { class: "count" }, [character.format, count(character.meshes, "mesh", "meshes"), count(character.clips, "clip", "clips")].join(" · ")),
      el("p", {}, el("a", { class: "quiet", href: `/v1/characters/${id}.glb${scope}`, download: true }, "Download as GLB"), " ",
        el("a", { class: "quiet", href: `/archive/${character.archive}`, "data-link": true }, "Its archive")),
      ...names("Clips", clips.map((clip) => el("li", {},
        el("a", { href: `/clip/${clip.id}?archive=${character.archive}`, "data-link": true }, clip.name)))),
      ...names("Meshes", character.meshes.map((mesh) => el("li", {}, [mesh.name, mesh.texture].filter(Boolean).join(", texture ")))),
      ...names("Missing", character.missing.map((name) => el("li", {}, name))));
  }

  load().catch((error) => {
    if (error.name === "AbortError") return;
    document.title = `${(title.textContent = "No character to show")} · posed`;
    content.append(failure(error));
  }).finally(() => (document.documentElement.dataset.ready = "character"));
  return () => loading.abort();
}
