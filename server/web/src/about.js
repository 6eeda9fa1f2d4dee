// The column beside the view of a clip: facts, events, downloads, snippets to copy.
import { base, bytes, copyButton, el, failure, say, seconds } from "./dom.js";
import { gameNames } from "./titles.js";

const MAX_EVENTS = 500, MAX_PLACES = 20;
const TOOLS = ["gltf", "bvh", "json"]; // of no game

function section(title, ...children) {
  return el("section", {}, el("h2", {}, title), ...children);
}

function facts(clip, formats) {
  const format = formats.find((one) => one.id === clip.format);
  const rows = [
    ["Game", gameNames(formats).get(clip.format) ?? clip.format], ["Format", format ? el("span", { title: format.title }, clip.format) : clip.format], ["Duration", seconds(clip.duration)],
    ["Frames", clip.fps ? `${clip.frame_count ?? "?"} at ${Number(clip.fps.toFixed(3))}/s` : "by keys"],
    ["Joints", clip.joint_count], ["Keys", clip.key_count], ["Events", clip.event_count], ["Between keys", clip.interpolation],
    ["Loop", clip.loop === null ? "unspecified" : clip.loop ? `${seconds(clip.loop_in)} to ${seconds(clip.loop_out)}` : "no"],
    ["Size", bytes(clip.bytes)],
    ...clip.found_in.slice(0, MAX_PLACES).map((place) => ["File", el("a", { href: `/archive/${place.archive}`, "data-link": true, title: "The archive that it is in" }, place.entry)]),
  ];
  if (clip.found_in.length > MAX_PLACES) rows.push(["File", `and ${clip.found_in.length - MAX_PLACES} more`]);
  return section("Facts",
    el("dl", { class: "facts-list" }, ...rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value instanceof Node ? value : String(value))])),
    Object.keys(clip.extras).length
      ? el("details", {}, el("summary", {}, "Format-specific data"), el("pre", { class: "code", tabindex: 0 }, JSON.stringify(clip.extras, null, 1)))
      : null);
}

function warnings(list) {
  if (!list.length) return null;
  return section("Warnings",
    el("ul", { class: "rejected" }, ...list.map((one) => el("li", {}, one.message, one.offset === undefined ? "" : ` (byte ${one.offset})`))));
}

const EVENT_FIELDS = ["name", "value", "joint", "joints", "sound", "effect", "actor"];

/** The fields of an event except its time, on one line. */
export function eventText(event) {
  const fields = EVENT_FIELDS.map((key) => event[key]).filter((value) => value !== undefined && value !== null && value !== "")
    .map((value) => (Array.isArray(value) ? value.join(" ") : String(value)));
  return [...new Set([event.type ?? event.kind ?? "event", ...fields])].join(" · ");
}

function events(list, seek) {
  if (!list.length) return null;
  return section("Events",
    el("ul", { class: "events" }, ...list.slice(0, MAX_EVENTS).map((event) => el("li", {},
      el("button", { type: "button", class: "link", onclick: () => seek(event.time) }, seconds(event.time)), " ", eventText(event)))));
}

/** Fetches before saving, so that errors and warnings are shown on the page and not saved to a file. */
async function download(posed, path, name, status) {
  status.replaceChildren();
  try {
    const response = await posed.request(path);
    const disposition = response.headers.get("Content-Disposition") ?? "";
    const plain = /filename="([^"]+)"/.exec(disposition)?.[1], coded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
    const url = URL.createObjectURL(await response.blob());
    el("a", { href: url, download: coded ? decodeURIComponent(coded) : plain ?? name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
    const warning = response.headers.get("Posed-Warning");
    if (warning) status.append(el("p", { class: "notice" }, `Warnings: ${warning.replaceAll("_", " ")}`));
    else say("Downloaded");
  } catch (error) {
    status.append(failure(error));
  }
}

const bodyOf = ({ mesh, character, with: worn }) => ({ mesh: mesh === "auto" ? undefined : mesh, character, with: worn });

/**
 * Who plays in a file of that format: whoever is shown, or for another game, whose names these would not be, one of its own
 * people. what is the {skeleton, onto} of the view.
 */
function player(format, { skeleton, onto }, clip, families) {
  const family = families.get(onto ?? (skeleton === "auto" ? clip.skeleton : skeleton))?.split("-")[0];
  return family && family !== format.family && [...families.values()].includes(format.family) ? { retarget: 1 } : { onto };
}

/**
 * A link for each writable format, and pictures. choose() returns the {skeleton, mesh, character, with, onto, time} of the
 * view.
 * @param formats the items of /v1/formats
 * @param families of people, by their skeletons
 */
function downloads(posed, clip, formats, families, choose) {
  const { id, name } = clip;
  const status = el("div", { "aria-live": "polite" });
  const link = (label, title, target) => {
    const one = el("a", { class: "quiet", href: target({}) || "#", title }, label);
    // What is copied or opened elsewhere is what is shown, too.
    for (const nears of ["pointerenter", "focus", "contextmenu"]) one.addEventListener(nears, () => { one.href = target(choose()) || "#"; });
    one.addEventListener("click", (event) => {
      event.preventDefault();
      const path = target(choose());
      if (!path) status.replaceChildren(el("p", { class: "notice" }, "Choose a mesh under Body first."));
      else download(posed, path, `${name}.${/\.(\w+)(\?|$)/.exec(path)[1]}`, status);
    });
    return one;
  };
  const writable = formats.filter((format) => format.targets.length);
  const extensionOf = (format) => format.extensions[0].replace(".", "");
  const shared = (extension) => writable.filter((format) => extensionOf(format) === extension).length > 1;
  const conversion = (label, title, extension, options = {}, takesMesh = false, format = {}) => link(label, title, ({ skeleton, onto, ...choice }) =>
    posed.convertURL(id, extension, { ...options, ...player(format, { skeleton, onto }, clip, families), skeleton: skeleton === "auto" ? undefined : skeleton, ...(takesMesh ? bodyOf(choice) : {}) }));
  const tools = [
    conversion("GLB", "glTF 2.0, binary", "glb", {}, true), conversion("glTF", "glTF 2.0 as JSON", "gltf", {}, true),
    ...writable.filter((format) => format.id === "bvh").map((format) => conversion("BVH", format.title, extensionOf(format), {}, false, format)),
    link("JSON", "All keys, lossless", ({ onto }) => posed.convertURL(id, "json", { onto })),
  ];
  const pictures = [["webp", "WebP", "Animated picture"], ["png", "PNG", "Still picture"], ["svg", "SVG", "Vector picture"]].map(([type, label, title]) =>
    link(label, title, ({ skeleton, onto, time, ...choice }) => posed.previewURL(id, type,
      { onto, skeleton: skeleton === "auto" ? undefined : skeleton, ...bodyOf(choice), t: type === "webp" ? undefined : time })));
  const names = gameNames(formats), games = new Map(); // a row of each
  for (const format of writable.filter((one) => !TOOLS.includes(one.id))) {
    const extension = extensionOf(format), game = names.get(format.id);
    games.set(game, [...(games.get(game) ?? []), conversion(format.id, format.title, extension, shared(extension) ? { to: format.id } : {}, false, format)]);
  }
  const meshes = formats.filter((format) => format.mesh_targets.length).map((format) =>
    link(`mesh: ${format.id}`, `The mesh that is shown: ${format.title}`, ({ mesh, skeleton }) =>
      /^[0-9a-f]{32}$/.test(mesh) && posed.meshURL(mesh, extensionOf(format), { skeleton: skeleton === "auto" ? undefined : skeleton })));
  const rows = [["3D tools", tools], ["Pictures", pictures], ...games];
  return section("Download",
    el("dl", { class: "facts-list downloads" }, ...rows.flatMap(([game, links]) => [el("dt", {}, game), el("dd", { class: "buttons" }, ...links)])),
    el("details", {}, el("summary", {}, "The mesh alone, for a game"), el("div", { class: "buttons downloads" }, ...meshes)), status);
}

function snippets(posed, id) {
  const origin = location.origin + base;
  const scope = posed.archive ? `archive=${posed.archive}` : "";
  const only = scope && `?${scope}`, more = scope && `&${scope}`;
  const lines = [
    ["curl", `curl -s "${origin}/v1/clips/${id}/pose?t=0.5${more}"`],
    ["<img>", `<img src="${origin}/v1/clips/${id}/preview.webp${only}" width="320" height="320" alt="">`],
    ["<iframe>", `<iframe src="${origin}/embed/${id}${only}" width="480" height="360" title="Animation"></iframe>`],
    ["<script>", `<script type="module">\n  import { Posed } from "${origin}/client.js";\n` +
      `  const poses = await new Posed("${origin}")${scope && `.inArchive("${posed.archive}")`}.poses("${id}");\n</script>`],
  ];
  return section("Use it",
    el("p", {}, el("a", { href: `/compare/${id}${only}`, "data-link": true }, "Compare it with another clip")), ...lines.map(([label, text]) => {
    const code = el("pre", { class: "code", tabindex: 0, role: "region", "aria-label": label }, text);
    return el("div", { class: "snippet" }, copyButton(`Copy ${label}`, code), code);
  }));
}

export const KEYS = [
  ["Space", "play or pause"], ["← →", "one frame"], ["Home End", "start, end"], ["+ −", "speed"], ["L", "loop"],
  ["B M F", "bones, body, floor"], ["1 2 3 4", "front, side, three-quarter, top"], ["Shift ← → ↑ ↓", "orbit"],
  ["[ ]", "zoom out, in"], ["J", "next joint"], ["O", "onion skin: before and after"], ["C", "the camera follows"], ["/", "search"], ["Esc", "back to the list"],
  ["R", "repeat a part: from here, to here, not any more"], ["U", "full screen"],
];

function keys() {
  return section("Keys", el("dl", { class: "facts-list keys" },
    ...KEYS.flatMap(([key, what]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)])));
}

/** The sections beside the view. seek(t) jumps to a time; choose() as above. */
export function aboutClip(posed, clip, found, { seek, choose }) {
  return [
    facts(clip, found.formats), warnings(clip.warnings), events(found.events, seek), downloads(posed, clip, found.formats, found.families, choose), snippets(posed, clip.id), keys(),
  ].filter(Boolean);
}
