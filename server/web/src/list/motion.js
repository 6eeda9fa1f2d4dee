// The picture of a card in motion: at once its bones, two kilobytes that are fetched when the pointer comes near, and its body
// when all poses are there, in one row that a style moves by steps.
import { el } from "../dom.js";

const SHORTEST_S = 0.6, LONGEST_S = 6; // of one turn
const NEAR = 140; // pixels from the pointer to a card

const wantsStillness = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * Moves a picture under the pointer and with the keyboard's focus.
 * @param addresses {sketch, strip}: functions
 * @returns a function that fetches the sketch beforehand
 */
export function moveOnDemand(link, picture, addresses, duration) {
  let sketch, strip;
  function prepare() {
    if (sketch || wantsStillness()) return;
    sketch = el("img", { class: "sketch", alt: "", src: addresses.sketch() });
    sketch.ready = sketch.decode().then(() => true, () => false);
  }
  function fetchStrip() {
    const mine = (strip = el("img", { class: "strip", alt: "", src: addresses.strip() }));
    strip.style.animationDuration = `${Math.min(Math.max(duration, SHORTEST_S), LONGEST_S)}s`;
    strip.decode().then(() => {
      sketch.remove();
      picture.append(mine);
    }, () => (strip = null)); // the next time it is asked for again
    sketch.ready.then((isThere) => { if (isThere && !mine.isConnected) picture.append(sketch); });
  }
  function start() {
    if (wantsStillness() || picture.classList.contains("moving")) return;
    prepare();
    if (!strip) fetchStrip();
    picture.classList.add("moving");
  }
  const wanted = () => link.matches(":hover, :focus-visible");
  const stop = () => wanted() || picture.classList.remove("moving");
  link.addEventListener("pointerenter", start);
  link.addEventListener("focus", () => wanted() && start());
  link.addEventListener("pointerleave", stop);
  link.addEventListener("blur", stop);
  return prepare;
}

/** Prepares the cards of a list that may be wanted next: those around the pointer, and those beside the one in focus. */
export function foresee(list, signal) {
  let pending = 0, x, y;
  function look() {
    pending = 0;
    for (const item of list.children) {
      const { left, right, top, bottom } = item.getBoundingClientRect();
      if (x > left - NEAR && x < right + NEAR && y > top - NEAR && y < bottom + NEAR) item.prepare?.();
    }
  }
  addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch") return;
    [x, y] = [event.clientX, event.clientY];
    pending ||= requestAnimationFrame(look);
  }, { passive: true, signal });
  list.addEventListener("focusin", (event) => {
    const item = event.target.closest("li");
    for (const one of [item, item?.previousElementSibling, item?.nextElementSibling]) one?.prepare?.();
  }, { signal });
}
