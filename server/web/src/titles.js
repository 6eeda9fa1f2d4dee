// Words for people: which game a format is of, and what a clip is called.
/** What titles of formats end with, beside the name of the game. */
const KIND = / (animation|clip|(avatar )?skeleton|rig|character file, (text|binary)|motion capture)$/i;
const CODE = /^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$|^[0-9a-f]{16,}$/i;

/** The name of each format's game, of the items of /v1/formats. */
export function gameNames(formats) {
  return new Map(formats.map(({ id, title }) => [id, title.replace(KIND, "")]));
}

/** What a format is called, of the items of /v1/formats; "folder" and "file" are none. */
export const titleOfFormat = (formats, id) => formats.find((one) => one.id === id)?.title ?? id;

/** Its name; of one that is only a number, the folder it lies in and the number's beginning. */
export function titleOf({ name, entry }) {
  if (!CODE.test(name)) return name;
  const folder = entry.split("/").at(-2)?.replace(/[_-]+/g, " ");
  return `${folder && !CODE.test(folder) ? folder : "Clip"} ${name.slice(0, 8)}`;
}

/** What formats of one game have in common. */
export const familyOf = (format) => format.split("-")[0];
