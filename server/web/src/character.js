// The page of one character: it moves, in what it is given to wear; its clips, its meshes, and all of it as one file.
import { Body } from "./view/body.js";
import { el, failure, ours } from "./dom.js";
import { Player } from "./player.js";
import { ANGLES, Viewer } from "./view/viewer.js";
import { titleOfFormat } from "./titles.js";
import { untilThere } from "./waiting.js";
import { partsPicker } from "./wardrobe.js";

const FIRST_CLIPS = 200;

function names(title, items) {
  return items.length ? [el("h2", {}, title), el("ul", { class: "names" }, ...items)] : [];
}

/** The characters of which an outfit is one at a time; on the page of one of them (#of=OUTFIT) the way back, and to the others. */
async function variantsOf(posed, character, signal) {
  const of = new URLSearchParams(location.hash.slice(1)).get("of");
  const scope = posed.inArchive(character.archive);
  const whole = /^[0-9a-f]{32}$/.test(of ?? "") ? await scope.character(of, {}, { signal }).catch(() => null) : character;
  const path = (id, hash) => `/character/${id}?archive=${character.archive}${hash}`;
  const variants = whole?.variants ?? [];
  if (whole !== character && !variants.some((one) => one.character === character.id)) return [];
  const back = whole === character ? [] : [el("li", {}, el("a", { href: path(whole.id, ""), "data-link": true }, whole.name))];
  return names("Variants", [...back, ...variants.map(({ name, character: id }) => el("li", {},
    el("a", { href: path(id, `#of=${whole.id}`), "data-link": true, "aria-current": id === character.id ? "page" : null }, name)))]);
}

function count(items, one, several) {
  return `${items.length} ${items.length === 1 ? one : several}`;
}

export function showCharacter(posed, content, id) {
  const loading = new AbortController();
  const title = el("h1", {}, "…");
  const stage = el("div", { class: "stage", hidden: true });
  const below = el("div", { class: "below" }), side = el("div", { class: "side" });
  content.append(el("article", { class: "clip" }, el("div", { class: "show" }, title, stage, below), side));
  let viewer, player, character, worn, shown, asked, gone = false;

  const modelURL = (options) => `/v1/characters/${id}.glb${posed.scoped({ with: worn, ...options })}`;

  /** Shows the clip (null: the rest pose), in one request. */
  async function play(clip) {
    const mine = (asked = {});
    const [metadata, body] = await Promise.all([
      clip ? posed.inArchive(undefined).clip(clip.id) : { duration: 0, fps: 30 },
      Body.load(posed, modelURL({ clips: clip?.id, bones: "none" }), { signal: loading.signal })]);
    if (gone || mine !== asked) return body.dispose();
    const wasPlaying = player ? player.playing : !matchMedia("(prefers-reduced-motion: reduce)").matches;
    const time = shown === clip ? player?.time ?? 0 : 0;
    stage.hidden = false;
    viewer ??= new Viewer(stage);
    stage.viewer = viewer;
    viewer.setBody(body);
    if (!viewer.wasTurned) viewer.frameAll();
    const next = new Player(viewer, metadata);
    if (player) {
      player.pause();
      player.element.replaceWith(next.element);
    } else {
      below.prepend(next.element);
    }
    player = next;
    shown = clip;
    player.seek(time);
    if (wasPlaying) player.play();
  }

  const fail = (error) => {
    if (error.name === "AbortError" || gone) return;
    if (!character) document.title = `${(title.textContent = "No character to show")} · posed`;
    below.append(failure(error));
  };

  async function load() {
    const { signal } = loading;
    const [found, formats] = await untilThere(() => Promise.all([posed.character(id, {}, { signal }), posed.formats({ signal })]), below, signal);
    character = found;
    const clips = character.clips.slice(0, FIRST_CLIPS);
    title.textContent = character.name;
    document.title = `${character.name} · posed`;
    const download = el("a", { class: "quiet", href: modelURL({}), download: true }, "Download as GLB");
    const list = el("select", { id: "clip", onchange: () => play(clips[list.selectedIndex] ?? null).catch(fail) },
      ...clips.map((clip) => el("option", { value: clip.id }, clip.name)));
    const parts = partsPicker((ids) => {
      worn = ids === "none" ? undefined : ids;
      download.href = ours(modelURL({}));
      play(shown).catch(fail);
    });
    const angles = el("div", { class: "angles", role: "group", "aria-label": "Camera" }, ...Object.keys(ANGLES).map((angle) =>
      el("button", { type: "button", class: "quiet", onclick: () => viewer?.frameAll(angle) }, angle)));
    below.append(
      el("div", { class: "options", role: "group", "aria-label": "View" }, angles,
        clips.length ? el("label", { class: "field", for: "clip" }, "Clip", list) : null),
      parts.element);
    side.append(
      el("p", { class: "count" }, [titleOfFormat(formats.items, character.format), count(character.meshes, "mesh", "meshes"), count(character.clips, "clip", "clips")].join(" · ")),
      el("p", { class: "buttons" }, download, el("a", { class: "quiet", href: `/archive/${character.archive}`, "data-link": true }, "Its archive"),
        character.skeleton ? el("a", { class: "quiet", href: `/skeleton/${character.skeleton}?archive=${character.archive}`, "data-link": true }, "Its skeleton") : null),
      ...(await variantsOf(posed, character, loading.signal)),
      ...names("Clips", clips.map((clip) => el("li", {},
        el("a", { href: `/clip/${clip.id}?archive=${character.archive}#character=${id}`, "data-link": true }, clip.name)))),
      ...names("Meshes", character.meshes.map((mesh) => el("li", {}, [mesh.name, mesh.texture].filter(Boolean).join(", texture ")))),
      ...names("Missing", character.missing.map((name) => el("li", {}, name))));
    // A suit alone is headless: it begins with the first head that fits.
    const wornPlaces = new Set(["head", "body"]);
    const first = character.suggest.filter(({ place }) => wornPlaces.delete(place)).map(({ mesh }) => mesh);
    worn = first.join(",") || undefined;
    download.href = ours(modelURL({}));
    parts.show(character, worn ?? "none", false);
    await play(clips[0] ?? null);
  }

  load().catch(fail).finally(() => (document.documentElement.dataset.ready = "character"));
  return () => {
    gone = true;
    loading.abort();
    player?.pause();
    viewer?.dispose();
  };
}
