// Looking at files that were dropped: what they hold, and the clips played. They are read on this machine, where the page has
// libpose and the browser runs it; else by the server, which keeps nothing of them.
import { el, failure, say, seconds } from "../dom.js";
import "../../../../api/client/element/element.js";
import { Looker, canLook, isOthers } from "./local.js";
import { packed } from "../packed.js";

const MOST_CLIPS = 50;

/** What each game that could take it says. */
function verdicts(list = []) {
  return list.map(({ target, accepted, reasons }) => el("div", { class: accepted ? "notice" : "notice bad" },
    el("b", {}, `${target}: ${accepted ? "would take it" : "would refuse it"}`),
    ...reasons.map((reason) => el("p", {}, reason.message))));
}

function rejected(list) {
  if (!list.length) return [];
  return [el("p", {}, "Files that could not be read:"),
    el("ul", { class: "rejected" }, ...list.map((one) => el("li", {}, el("b", {}, one.entry), " ", one.error.detail)))];
}

function counted(found) {
  const kinds = [["clips", "clip"], ["skeletons", "skeleton"], ["meshes", "mesh"], ["characters", "character"], ["images", "image"]];
  const several = (kind, count) => `${count} ${count === 1 ? kind[1] : kind[0]}`;
  return kinds.filter(([many]) => found[many]?.length).map((kind) => several(kind, found[kind[0]].length)).join(", ") || "nothing that is read";
}

const byServer = (posed, files) => ({
  kept: "Nothing is kept on the server.",
  open() {
    const [path, body] = packed(files, "/v1/inspect");
    return posed.json(path, { method: "POST", body });
  },
  async glb(clip, { name }, signal) {
    const [path, body] = packed(files, "/v1/convert", { to: "glb", mesh: "auto", clip: name });
    return (await posed.request(path, { method: "POST", body, signal })).arrayBuffer();
  },
  close() {},
});

function byPage(files) {
  const looker = new Looker();
  return {
    kept: "Nothing leaves your machine.",
    open: () => looker.open(files),
    glb: (clip) => looker.glb(clip),
    close: () => looker.close(),
  };
}

/** The clips: a view, and their names to choose from. */
function clipsOf(reader, clips, status) {
  if (!clips.length) return [];
  const view = el("posed-clip", { controls: true, loop: true, autoplay: true });
  let loading = new AbortController();
  async function play(clip, place) {
    loading.abort(); // what was chosen last is shown, whatever is answered last
    const { signal } = (loading = new AbortController());
    status.replaceChildren();
    try {
      const bytes = await reader.glb(place, clips.length > 1 ? clip : {}, signal);
      if (signal.aborted) return;
      await view.show(clip, bytes);
      if (!signal.aborted) say(`${clip.name} is shown`);
    } catch (error) {
      if (!signal.aborted) status.replaceChildren(failure(error));
    }
  }
  const names = clips.length === 1 ? [] : [el("ul", { class: "found" }, ...clips.slice(0, MOST_CLIPS).map((clip, place) => el("li", {},
    el("button", { type: "button", class: "link", onclick: () => play(clip, place) }, clip.name), ` ${seconds(clip.duration)}`)))];
  play(clips[0], 0);
  return [view, status, ...names];
}

async function show(reader, files, body, keep) {
  const found = await reader.open();
  body.replaceChildren(
    el("p", {}, el("b", {}, files.length === 1 ? files[0].name : `${files.length} files`), `: ${counted(found)}. ${reader.kept}`),
    ...clipsOf(reader, found.clips, el("div", { "aria-live": "polite" })),
    ...verdicts(found.verdict), ...rejected(found.rejected),
    el("p", {}, el("button", { type: "button", class: "primary", onclick: keep }, "Upload it to this server")));
  say(`${counted(found)}. ${reader.kept}`);
}

/** Fills a dialog's body. keep() uploads. */
export async function look(posed, files, body, keep) {
  const ask = () => show(byServer(posed, files), files, body, keep);
  if (!canLook()) return ask();
  const reader = byPage(files);
  body.closest("dialog")?.addEventListener("close", reader.close);
  try {
    await show(reader, files, body, keep);
  } catch (error) {
    if (!isOthers(error)) throw error;
    // A file leaves this machine when its owner says so.
    body.replaceChildren(failure(error), el("p", {}, el("button", { type: "button", class: "primary",
      onclick: () => ask().catch((other) => body.replaceChildren(failure(other))) }, "Let the server look, which keeps nothing")));
  }
}
