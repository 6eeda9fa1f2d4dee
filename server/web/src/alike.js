// Clips that seem to be one: of one name and shape, in other bytes; or of another name, if the server finds no difference.
import { clipPath } from "./list/cards.js";
import { isAlike, isOfLength, ofLength } from "./list/versions.js";
import { el, seconds } from "./dom.js";
import { gameNames, titleOf } from "./titles.js";

const SAME_DEG = 0.5, SAME_M = 0.005;
const MOST_NAMED = 12, MOST_LONG = 24, MOST_COMPARED = 6, MOST_ARCHIVES = 1000;
const COMPARED_FPS = 10;

async function isSameMotion(posed, clip, other, signal) {
  if (!clip.key_count || !isAlike(clip, other)) return false;
  const { joints } = await posed.diff(clip.id, other.id, { fps: COMPARED_FPS }, { signal }).catch(() => ({}));
  return Boolean(joints?.length) && joints.every(({ rotation_deg, distance_m }) => rotation_deg.max < SAME_DEG && !(distance_m?.max >= SAME_M));
}

/** What one sees of another version without opening it. */
function difference(clip, other, games) {
  const told = [
    other.format === clip.format ? null : games.get(other.format) ?? other.format,
    isOfLength(clip, other) ? null : seconds(other.duration),
    other.joint_count === clip.joint_count ? null : `${other.joint_count} joints`,
    other.key_count === clip.key_count ? null : `${other.key_count} keys`,
    other.event_count === clip.event_count ? null : `${other.event_count} events`,
  ].filter(Boolean);
  return told.length ? told.join(", ") : "keys differ";
}

/** Where the others lie: their archives' names where these are not the clip's. */
async function placesOf(posed, clip, others, signal) {
  const names = new Map();
  if (others.some((one) => one.archive !== clip.archive))
    for (const { id, name } of (await posed.archives({ limit: MOST_ARCHIVES }, { signal })).items) names.set(id, name);
  return (one) => [one.archive === clip.archive ? null : names.get(one.archive), one.entry].filter(Boolean).join(": ");
}

/** A section with the other versions of a clip, once they are found; empty if there are none. */
export function otherVersions(posed, clip, formats, signal) {
  const section = el("section", { hidden: true });
  async function find() {
    const [named, long] = await Promise.all([
      posed.clips({ name: clip.name, limit: MOST_NAMED }, { signal }),
      clip.key_count ? posed.clips({ format: clip.format, ...ofLength(clip), sort: "duration", limit: MOST_LONG }, { signal }) : { items: [] }]);
    const others = named.items.filter((one) => one.id !== clip.id), known = new Set([clip.id, ...others.map((one) => one.id)]);
    const maybe = long.items.filter((one) => !known.has(one.id) && isAlike(one, clip));
    const compared = [...others.filter((one) => isAlike(one, clip)), ...maybe].slice(0, MOST_COMPARED);
    const same = new Set();
    for (const one of compared) if (await isSameMotion(posed, clip, one, signal)) same.add(one); // one after the other: nobody waits
    const shown = [...maybe.filter((one) => same.has(one)), ...others], placeOf = await placesOf(posed, clip, shown, signal);
    const rows = shown.map((one) => el("li", {},
      el("a", { href: clipPath(one), "data-link": true, title: placeOf(one) }, titleOf(one)), " ",
      el("span", { class: "what" }, [same.has(one) ? "same motion" : difference(clip, one, gameNames(formats)), placeOf(one)].join(" · ")), " ",
      el("a", { href: `/compare/${clip.id}?with=${one.id}`, "data-link": true, "aria-label": `Compare with ${titleOf(one)} (${placeOf(one)})` }, "compare")));
    if (!rows.length || signal.aborted) return;
    section.append(el("h2", {}, "Other versions"), el("ul", { class: "versions" }, ...rows));
    section.hidden = false;
  }
  find().catch(() => {}); // an extra
  return section;
}
