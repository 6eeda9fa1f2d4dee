// The card of a clip: a picture that moves under the pointer or with the keyboard's focus, its title, facts and badges.
import { el, seconds } from "../dom.js";
import { moveOnDemand } from "./motion.js";
import { familyOf, titleOf } from "../titles.js";
import { placesOf, versionsBadge } from "./versions.js";

const SIZE = 192, FRAMES = 12, FRAME = 160;

/** The archive that the list was filtered by, if any: links keep it, so that its companion files are used. */
const scopeOf = (clip) => new URLSearchParams(clip.links.self.split("?")[1]).get("archive") ?? undefined;

export const clipPath = (clip) => `/clip/${clip.id}${scopeOf(clip) ? `?archive=${scopeOf(clip)}` : ""}`;

const MOST_TRIES = 3, AGAIN_MS = 2000; // for a picture

function badges(posed, clip, bodies, archives) {
  const problems = clip.warnings.filter((one) => one.severity === "warning");
  const badge = (text, kind, title) => el("span", { class: `badge ${kind}`, title }, text);
  const shown = [ // the last are left out first where there is no room
    problems.length ? badge("problem", "problem", problems.map((one) => one.message).join("\n")) : null,
    clip.loop ? badge("loop", "loop", "It is played in a loop") : null,
    clip.event_count ? badge(clip.event_count === 1 ? "1 event" : `${clip.event_count} events`, "event") : null,
    versionsBadge(posed, clip, archives),
    // The same motion, byte for byte, in several files is one card.
    clip.found_in?.length > 1 ? badge(`${clip.found_in.length} files`, "places", placesOf([clip], archives)) : null,
    bodies?.has(`${familyOf(clip.format)} ${clip.archive}`) ? badge("body", "body", "Its archive has a body for it") : null,
  ].filter(Boolean);
  return el("span", { class: "badges" }, ...shown);
}

/** Where a clip comes from: its archive, if there are several, and its folder there. */
function placeOf({ archive, entry }, archives) {
  const folder = entry.split("/").slice(0, -1).join("/");
  return [archives?.size > 1 ? archives.get(archive) : null, folder].filter(Boolean).join(" / ");
}

/** The lines below a card's title, of what is known by now. */
function lines(posed, clip, { games = new Map(), archives, bodies } = {}) {
  const place = placeOf(clip, archives);
  return [
    el("span", { class: "facts" }, el("span", {}, games.get(clip.format) ?? clip.format), ` · ${seconds(clip.duration)}`),
    place ? el("span", { class: "place", title: clip.entry }, place) : null,
    badges(posed, clip, bodies, archives)].filter(Boolean);
}

/**
 * What is learnt later is written on it by its describe(look); prepare() fetches what it shows first when it moves.
 * @param look {games: of titles.js, archives: their names by id, bodies: a Set of "family archive" that have characters}
 */
export function card(posed, clip, look) {
  const scope = { archive: scopeOf(clip) };
  const still = el("img", {
    src: posed.previewURL(clip.id, "png", { ...scope, width: SIZE, height: SIZE, t: Number((clip.duration / 3).toFixed(3)) }),
    width: SIZE, height: SIZE, loading: "lazy", decoding: "async", alt: "",
  });
  const picture = el("span", { class: "picture" }, still);
  awaitPicture(still, picture);
  const link = el("a", { href: clipPath(clip), "data-link": true },
    picture,
    el("span", { class: "name", title: clip.name }, titleOf(clip)), ...lines(posed, clip, look));
  const element = el("li", { class: "card" }, link);
  const addresses = {
    sketch: () => posed.previewURL(clip.id, "svg", { ...scope, width: SIZE, height: SIZE, motion: 1 }),
    strip: () => posed.previewURL(clip.id, "png", { ...scope, width: FRAME * FRAMES, height: FRAME, frames: FRAMES, layout: "strip" }),
  };
  if (clip.duration > 0) element.prepare = moveOnDemand(link, picture, addresses, clip.duration);
  element.describe = (known) => {
    for (const line of [...link.children].slice(2)) line.remove();
    link.append(...lines(posed, clip, known));
  };
  return element;
}

/** Shimmers until the picture is there. One that a busy server did not draw is asked for again, while somebody looks. */
function awaitPicture(still, picture) {
  let tries = 0;
  picture.classList.add("loading");
  still.addEventListener("load", () => picture.classList.remove("loading"));
  still.addEventListener("error", () => {
    if (++tries > MOST_TRIES) picture.classList.remove("loading");
    else setTimeout(() => { if (still.isConnected) still.src = String(still.src); }, AGAIN_MS * tries);
  });
}

/** The place of a card that is still on its way. */
export function ghost() {
  return el("li", { class: "card ghost", "aria-hidden": "true" });
}
