// What the reader has chosen, kept for the next page; nothing is lost where nothing may be stored.
const NAME = "posed";

function read() {
  try {
    return JSON.parse(localStorage.getItem(NAME)) ?? {};
  } catch {
    return {};
  }
}

export const setting = (name, otherwise) => read()[name] ?? otherwise;

export function keep(name, value) {
  try {
    localStorage.setItem(NAME, JSON.stringify({ ...read(), [name]: value }));
  } catch {
    // Private windows and full disks: it holds until the page is closed.
  }
}
