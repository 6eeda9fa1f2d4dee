// Client-side routing: shows the page of a path, without reloading between pages.
import "./style.css";
import { Posed } from "../../../api/client/posed.js";
import { showCatalogue } from "./catalogue.js";
import { showClip } from "./clip.js";
import { el, failure } from "./dom.js";
import { showEmbed } from "./embed.js";
import { acceptUploads } from "./upload.js";

const posed = new Posed();
const content = document.getElementById("content");
let leave = () => {};

/** A path with a malformed id. */
function showInvalidId(content, id) {
  document.title = "No clip to show · posed";
  content.append(el("h1", {}, "No clip to show"), failure(new Error(`"${id}" is not a clip id. An id is 32 hex digits.`)));
  document.documentElement.dataset.ready = "nothing";
  return () => {};
}

function show() {
  leave();
  delete document.documentElement.dataset.ready;
  content.replaceChildren();
  const [, kind, id] = /^\/(clip|embed)\/([^/]*)$/.exec(location.pathname) ?? [];
  const archive = new URLSearchParams(location.search).get("archive");
  const scoped = archive ? posed.inArchive(archive) : posed;
  if (kind && !/^[0-9a-f]{32}$/.test(id)) leave = showInvalidId(content, id);
  else if (kind === "embed") leave = showEmbed(scoped, content, id);
  else if (kind === "clip") leave = showClip(scoped, content, id);
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
