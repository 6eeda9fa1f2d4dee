// The page of one archive: what is in it, and what could not be read and why.
import { card } from "./list/cards.js";
import { bytes, el, failure } from "./dom.js";
import { foresee } from "./list/motion.js";
import { gameNames, titleOfFormat } from "./titles.js";
import { untilThere } from "./waiting.js";

const FIRST_CLIPS = 60;
const FIRST_REJECTED = 200;

function facts(archive, formats) {
  const how = archive.source === "path" ? "changed" : "uploaded";
  const made = archive.created ? `${how} ${new Date(archive.created).toLocaleString()}` : how;
  return [titleOfFormat(formats, archive.format), bytes(archive.bytes), archive.entry_count === 1 ? "1 file" : `${archive.entry_count} files`, made].join(" · ");
}

const BUNDLES = ["glb", "bvh"];

/** Links to all clips in a format that other programs read. */
function bundles(posed, id, clips) {
  if (!clips.total) return [];
  const links = BUNDLES.flatMap((format, k) => [k ? " · " : "", el("a", { href: posed.archiveURL(id, format), download: true }, format.toUpperCase())]);
  return [el("p", {}, clips.total === 1 ? "Download the clip as " : `Download all ${clips.total} clips as `, ...links)];
}

/** A heading and links to the assets of one kind; nothing if there are none. */
function section(title, things, path) {
  if (!things.length) return [];
  return [el("h2", {}, `${title} (${things.length})`),
    el("ul", { class: "names" }, ...things.map((thing) => el("li", {}, path
      ? el("a", { href: path(thing), "data-link": true }, thing.name ?? thing.id)
      : thing.name ?? thing.id)))];
}

function rejected(entries) {
  if (!entries.length) return [];
  const rows = entries.slice(0, FIRST_REJECTED).map((entry) => el("tr", {},
    el("td", {}, entry.entry), el("td", {}, entry.error.detail),
    el("td", {}, entry.error.offset === undefined ? "" : `byte ${entry.error.offset}`)));
  return [el("h2", {}, `Not read (${entries.length})`),
    el("table", { class: "rejected" },
      el("thead", {}, el("tr", {}, ...["File", "Why", "Where"].map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, ...rows))];
}

export function showArchive(posed, content, id) {
  const loading = new AbortController();
  const title = el("h1", {}, "…");
  content.append(title);

  async function load() {
    const { signal } = loading;
    const [archive, clips, formats] = await untilThere(() => Promise.all([
      posed.json(`/v1/archives/${id}`, { signal }), posed.clips({ archive: id, limit: FIRST_CLIPS, sort: "name" }, { signal }), posed.formats({ signal })]), content, signal);
    const look = { games: gameNames(formats.items) };
    title.textContent = archive.name;
    document.title = `${archive.name} · posed`;
    const list = el("ul", { class: "cards" }, ...clips.items.map((clip) => card(posed, clip, look)));
    foresee(list, signal);
    content.append(
      el("p", { class: "count" }, facts(archive, formats.items)),
      ...bundles(posed, id, clips),
      el("h2", {}, clips.total === 1 ? "1 clip" : `${clips.total} clips`),
      list);
    if (clips.next) content.append(el("p", {}, el("a", { class: "quiet", href: `/?archive=${id}`, "data-link": true }, `All ${clips.total} clips`)));
    content.append(...section("Characters", archive.characters, (one) => `/character/${one.id}?archive=${id}`), ...section("Skeletons", archive.skeletons, (one) => `/skeleton/${one.id}?archive=${id}`), ...section("Meshes", archive.meshes), ...rejected(archive.rejected));
  }

  load().catch((error) => {
    if (error.name === "AbortError") return;
    document.title = `${(title.textContent = "No archive to show")} · posed`;
    content.append(failure(error));
  }).finally(() => (document.documentElement.dataset.ready = "archive"));
  return () => loading.abort();
}
