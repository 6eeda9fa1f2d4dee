// Waiting for a server that is away: says so, tries again by itself with growing pauses, and at once on request.
import { el, say } from "./dom.js";

const FIRST_MS = 1000, LONGEST_MS = 30000;

/** Whether it was the way to the server that failed, or a server that starts or is too busy. */
const mayPass = (error) => error instanceof TypeError || error.status === 502 || error.status === 503 || error.status === 504;

function pause(notice, milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    notice.querySelector("button").addEventListener("click", resolve);
    addEventListener("online", resolve, { once: true, signal });
    signal.addEventListener("abort", resolve, { once: true });
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}

/** Marks a view as on its way, until the returned function is called. */
export function onItsWay(stage) {
  const turning = el("span", { class: "on-its-way", role: "status" }, el("span", { class: "spinner", "aria-hidden": "true" }), el("span", { class: "visually-hidden" }, "Loading"));
  stage.append(turning);
  stage.setAttribute("aria-busy", "true");
  return () => {
    turning.remove();
    stage.removeAttribute("aria-busy");
  };
}

/** The result of action(), which is tried until it is there or refused; the notice stands in `place` meanwhile. */
export async function untilThere(action, place, signal) {
  const notice = el("p", { class: "notice waiting", role: "status" }, el("span", { class: "spinner", "aria-hidden": "true" }),
    "The server cannot be reached. Trying again. ", el("button", { type: "button" }, "Try now"));
  try {
    for (let wait = FIRST_MS; ; wait = Math.min(wait * 2, LONGEST_MS)) {
      try {
        return await action();
      } catch (error) {
        if (!mayPass(error) || signal.aborted) throw error;
      }
      if (!notice.isConnected) {
        place.prepend(notice);
        say("The server cannot be reached.");
      }
      await pause(notice, wait, signal);
    }
  } finally {
    notice.remove();
  }
}
