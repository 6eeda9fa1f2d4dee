// Client-side routing: shows the page of a path, without reloading between pages.
import "./style.css";
import { Posed } from "../../../api/client/posed.js";
import { showArchive } from "./archive.js";
import { showCatalogue } from "./catalogue.js";
import { showCharacter } from "./character.js";
import { showClip } from "./clip.js";
import { el, failure } from "./dom.js";
import { showEmbed } from "./embed.js";
import { acceptUploads } from "./upload.js";

const posed = new Posed();
const content = document.getElementById("content");
let leave = () => {};

const PAGES = { archive: showArchive, character: showCharacter, clip: showClip, embed: showEmbed };

/** A path with a malformed id. */
function showInvalidId(content, kind, id) {
  const what = kind === "embed" ? "clip" : kind;
  document.title = `No ${what} to show · posed`;
  content.append(el("h1", {}, `No ${what} to show`), failure(new Error(`"${id}" is not the id of a ${what}. An id is 32 hex digits.`)));
  document.documentElement.dataset.ready = "nothing";
  return () => {};
}

function show() {
  leave();
  delete document.documentElement.dataset.ready;
  content.replaceChildren();
  const [, kind, id] = /^\/(archive|character|clip|embed)\/([^/]*)$/.exec(location.pathname) ?? [];
  const archive = new URLSearchParams(location.search).get("archive");
  const scoped = archive ? posed.inArchive(archive) : posed;
  if (kind && !/^[0-9a-f]{32}$/.test(id)) leave = showInvalidId(content, kind, id);
  else if (kind) leave = PAGES[kind](scoped, content, id);
  else leave = showCatalogue(posed, content);
}

/** Navigates to a page of this site. */
export function go(path) {
  history.pushState(null, "", path);
  show();
  content.focus({ preventScroll: true });
  scrollTo(0, 0);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-link]");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(link.getAttribute("href"));
});

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches?.("input:not([type=range], [type=checkbox]), select, textarea, dialog, dialog *");
  const search = document.getElementById("search");
  if (event.key === "/" && !typing && search) {
    event.preventDefault();
    search.focus();
  } else if (event.key === "Escape" && !typing && location.pathname.startsWith("/clip/")) {
    go("/");
  }
});

addEventListener("popstate", show);
if (document.getElementById("upload-button")) acceptUploads(posed, go);
show();
