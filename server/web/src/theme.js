// Light, dark, or as the system has it.
import { el, say } from "./dom.js";
import { icon } from "./icons.js";
import { keep, setting } from "./settings.js";

const NEXT = { auto: "light", light: "dark", dark: "auto" };
const TEXT = { auto: "As the system", light: "Light", dark: "Dark" };

function apply(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** The button that goes through them. */
export function themeButton() {
  let theme = Object.hasOwn(NEXT, setting("theme")) ? setting("theme") : "auto";
  const button = el("button", { type: "button", class: "icon theme" });
  const show = () => {
    apply(theme);
    button.replaceChildren(icon(theme));
    button.title = `Colours: ${TEXT[theme].toLowerCase()}`;
    button.setAttribute("aria-label", button.title);
  };
  button.addEventListener("click", () => {
    theme = NEXT[theme];
    keep("theme", theme);
    show();
    say(button.title);
  });
  show();
  return button;
}
