// Client-side routing: shows the page of a path, without reloading between pages.
import "./style.css";
import { Posed } from "../../../api/client/posed.js";
import { showCatalogue } from "./catalogue.js";
import { base, el, failure, here, ours } from "./dom.js";
import { Finder } from "./finder.js";
import { themeButton } from "./theme.js";
import { acceptUploads } from "./upload.js";

const posed = new Posed(base);
const content = document.getElementById("content");
const finder = new Finder(posed, go);
let leave = () => {};
history.scrollRestoration = "manual"; // the list knows its place itself

/** Fetched when they are asked for: the list needs no 3D view. */
const PAGES = {
  archive: async () => (await import("./archive.js")).showArchive,
  character: async () => (await import("./character.js")).showCharacter,
  compare: async () => (await import("./compare.js")).showCompare,
  clip: async () => (await import("./clip.js")).showClip,
  skeleton: async () => (await import("./skeleton.js")).showSkeleton,
};

/** A path with a malformed id. */
function showInvalidId(content, kind, id) {
  document.title = `No ${kind} to show · posed`;
  content.append(el("h1", {}, `No ${kind} to show`), failure(new Error(`"${id}" is not the id of a ${kind}. An id is 32 hex digits.`)));
  document.documentElement.dataset.ready = "nothing";
  return () => {};
}

/** Shows a page as soon as its script is there, unless it was left before. */
function showLater(fetched, begin) {
  let end = () => {}, left = false;
  fetched().then((page) => { if (!left) end = begin(page); }, (error) => { if (!left) content.append(failure(error)); });
  return () => { left = true; end(); };
}

function show() {
  leave();
  delete document.documentElement.dataset.ready;
  content.replaceChildren();
  const [, kind, id] = /^\/(archive|character|clip|compare|skeleton)\/([^/]*)$/.exec(here()) ?? [];
  const archive = new URLSearchParams(location.search).get("archive");
  const scoped = archive ? posed.inArchive(archive) : posed;
  if (kind && !/^[0-9a-f]{32}$/.test(id)) leave = showInvalidId(content, kind, id);
  else if (kind) leave = showLater(PAGES[kind], (page) => page(scoped, content, id));
  else leave = showCatalogue(posed, content, finder);
}

/** Navigates to a page of this site. */
export function go(path) {
  history.pushState(null, "", ours(path));
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
  } else if (event.key === "Escape" && !typing && here().startsWith("/clip/")) {
    go("/");
  }
});

addEventListener("popstate", () => { show(); if (here() !== "/") scrollTo(0, 0); });
document.querySelector(".skip").addEventListener("click", (event) => { // no step of the history: Back would show the page anew
  event.preventDefault();
  content.focus();
});
document.querySelector(".bar").append(themeButton());
if (document.getElementById("upload-button")) acceptUploads(posed, go);
show();
