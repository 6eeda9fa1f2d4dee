// Looking at files that were dropped: what they hold, and the clips played. The server keeps nothing of them.
import { el, failure, say, seconds } from "./dom.js";
import "../../../api/client/element/element.js";
import { packed } from "./packed.js";

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

/** The clips: a view, and their names to choose from. */
function clipsOf(posed, files, clips, status) {
  if (!clips.length) return [];
  const view = el("posed-clip", { controls: true, loop: true, autoplay: true });
  let loading = new AbortController();
  async function play(clip) {
    loading.abort(); // what was chosen last is shown, whatever is answered last
    const { signal } = (loading = new AbortController());
    status.replaceChildren();
    const [path, body] = packed(files, "/v1/convert", { to: "glb", mesh: "auto", clip: clips.length > 1 ? clip.name : undefined });
    try {
      await view.show(clip, await (await posed.request(path, { method: "POST", body, signal })).arrayBuffer());
      if (!signal.aborted) say(`${clip.name} is shown`);
    } catch (error) {
      if (!signal.aborted) status.replaceChildren(failure(error));
    }
  }
  const names = clips.length === 1 ? [] : [el("ul", { class: "found" }, ...clips.slice(0, MOST_CLIPS).map((clip) => el("li", {},
    el("button", { type: "button", class: "link", onclick: () => play(clip) }, clip.name), ` ${seconds(clip.duration)}`)))];
  play(clips[0]);
  return [view, status, ...names];
}

/** Fills a dialog's body. keep() uploads. */
export async function look(posed, files, body, keep) {
  const [path, data] = packed(files, "/v1/inspect");
  const found = await posed.json(path, { method: "POST", body: data });
  body.replaceChildren(
    el("p", {}, el("b", {}, files.length === 1 ? files[0].name : `${files.length} files`), `: ${counted(found)}. Nothing is kept on the server.`),
    ...clipsOf(posed, files, found.clips, el("div", { "aria-live": "polite" })),
    ...verdicts(found.verdict), ...rejected(found.rejected),
    el("p", {}, el("button", { type: "button", class: "primary", onclick: keep }, "Upload it to this server")));
  say(`${counted(found)}. Nothing is kept.`);
}
