// DOM helpers, and the addresses of this server.

/** Where the daemon is: "" or the prefix of --base-path. The scripts are in its folder assets. */
export const base = new URL("..", import.meta.url).pathname.replace(/\/+$/, "");

/** The address of a path of this server: "/clip/ID" becomes "/poses/clip/ID". */
export const ours = (path) => (base && path.startsWith("/") && !path.startsWith(`${base}/`) ? base + path : path);

/** The path of the page that is shown, without the prefix. */
export const here = () => (location.pathname.startsWith(`${base}/`) ? location.pathname.slice(base.length) : location.pathname === base ? "/" : location.pathname);

/** Creates an element: el("button", {class: "quiet", onclick}, "Play"). */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "selected") element[name] = value;
    else if (name === "href" || name === "src") element.setAttribute(name, ours(String(value)));
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Announces a text to screen readers. */
export function say(text) {
  document.getElementById("status").textContent = text;
}

export function debounce(milliseconds, action) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), milliseconds);
  };
}

export const seconds = (value) => `${Number(value.toFixed(2))} s`;

export function bytes(value) {
  if (value < 1024) return `${value} B`;
  return value < 1024 * 1024 ? `${(value / 1024).toFixed(1)} KiB` : `${(value / 1024 / 1024).toFixed(1)} MiB`;
}

/** An error message as an element. */
export function failure(error) {
  return el("p", { class: "notice bad", role: "alert" }, error.message);
}

/** navigator.clipboard needs https://; without it, the selection is copied. */
async function copyText(element) {
  if (navigator.clipboard) return navigator.clipboard.writeText(element.textContent);
  getSelection().selectAllChildren(element);
  document.execCommand("copy");
}

/** A button that copies the text of an element and confirms it. */
export function copyButton(label, element) {
  const button = el("button", { type: "button", class: "quiet" }, label);
  button.addEventListener("click", async () => {
    await copyText(element);
    button.textContent = "Copied";
    say("Copied");
    setTimeout(() => (button.textContent = label), 1500);
  });
  return button;
}
