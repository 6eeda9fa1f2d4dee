// Versions of a clip: others of its name and shape, in other bytes. Lists count them; which they are is asked when somebody points.
import { el } from "../dom.js";

const SAME_S = 0.0005;
const SHAPE = ["format", "joint_count", "key_count", "event_count"];
const MOST_PLACES = 12, MOST_ASKED = 100, MOST_COUNTED = 100; // the last is the API's

export const isOfLength = (a, b) => Math.abs(a.duration - b.duration) < SAME_S;
export const isAlike = (a, b) => SHAPE.every((name) => a[name] === b[name]) && isOfLength(a, b);
/** The filter of a list for clips of that length. */
export const ofLength = ({ duration }) => ({ min_duration: Math.max(duration - SAME_S, 0), max_duration: duration + SAME_S });

/** Where clips are, a line each. */
export function placesOf(clips, archives) {
  const places = clips.flatMap((clip) => clip.found_in);
  const lines = places.slice(0, MOST_PLACES).map(({ archive, entry }) => [archives?.get(archive), entry].filter(Boolean).join(": "));
  return [...lines, ...(places.length > MOST_PLACES ? [`and ${places.length - MOST_PLACES} more`] : [])].join("\n");
}

/** How many versions a clip has; null for one alone. Under the pointer it learns where the others are. */
export function versionsBadge(posed, clip, archives) {
  if (!(clip.versions > 1)) return null;
  const count = clip.versions < MOST_COUNTED ? clip.versions : `${MOST_COUNTED}+`;
  const badge = el("span", { class: "badge alike", title: "Other bytes, but the same name, length, joints, keys and events" }, `${count} versions`);
  badge.addEventListener("pointerenter", async () => {
    const { items } = await posed.clips({ name: clip.name, format: clip.format, ...ofLength(clip), limit: MOST_ASKED }).catch(() => ({ items: [] })); // an extra
    const others = items.filter((one) => one.id !== clip.id && isAlike(one, clip));
    if (others.length) badge.title += `:\n${placesOf(others, archives)}`;
  }, { once: true });
  return badge;
}
