// Icons, drawn in a square of 16 by 16 in the colour of the text.
const PATHS = {
  play: "M4 2v12l10-6z",
  pause: "M3 2h4v12H3zM9 2h4v12H9z",
  back: "M3 2h2v12H3zM13 2v12L6 8z",
  on: "M11 2h2v12h-2zM3 2v12l7-6z",
  full: "M2 2h5v2H4v3H2zM9 2h5v5h-2V4H9zM2 9h2v3h3v2H2zM12 9h2v5H9v-2h3z",
  light: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM7 0h2v3H7zM7 13h2v3H7zM0 7h3v2H0zM13 7h3v2h-3zM2 3.4 3.4 2l2 2L4 5.5zM10.6 12 12 10.5l2 2L12.6 14zM2 12.6 4 10.5 5.4 12l-2 2zM10.6 4l2-2L14 3.4 12 5.5z",
  dark: "M6 1a7 7 0 1 0 9 9A6 6 0 0 1 6 1z",
  auto: "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zm0 2v10A5 5 0 0 1 8 3z",
};
const SVG = "http://www.w3.org/2000/svg";

export function icon(name) {
  const picture = document.createElementNS(SVG, "svg"), path = document.createElementNS(SVG, "path");
  for (const [key, value] of Object.entries({ viewBox: "0 0 16 16", width: 16, height: 16, fill: "currentColor", "aria-hidden": "true" })) picture.setAttribute(key, value);
  path.setAttribute("d", PATHS[name]);
  picture.append(path);
  return picture;
}
