/** What `src`, `character` and `onto` of the element mean, and which file has all of it. */

const ID = /[0-9a-f]{32}/;
const BY_ID = /^(.*?)\/(?:clip|embed|v1\/clips)\/([0-9a-f]{32})(?![0-9a-f])/;
const BY_NAME = /^(.*?)(\/v1\/named\/[^/]+\/[^/]+)\/?$/;

/** The server that this module came from. */
const own = () => import.meta.url.replace(/\/(assets\/)?[^/]*$/, "");

/** {base, archive, path}: of an id on the server of this module, or of a URL of the clip's page, embed or API. */
export function clipOf(src) {
  if (new RegExp(`^${ID.source}$`).test(src)) return { base: own(), path: `/v1/clips/${src}` };
  const url = new URL(src, document.baseURI), address = url.origin + url.pathname;
  const archive = url.searchParams.get("archive") ?? undefined;
  const byId = BY_ID.exec(address);
  if (byId) return { base: byId[1], archive, path: `/v1/clips/${byId[2]}${archive ? `?archive=${archive}` : ""}` };
  const byName = BY_NAME.exec(address);
  if (byName) return { base: byName[1], path: byName[2] };
  throw new Error(`src="${src}" does not name a clip: give its id, or the address of its page.`);
}

function idOf(name, text) {
  const found = ID.exec(text);
  if (!found) throw new Error(`${name}="${text}" has no id: 32 hex digits, or an address with them.`);
  return found[0];
}

/** The GLB of the clip on its own body, on a character, or retargeted to another skeleton. */
export async function figureURL(posed, clip, { character, onto }, signal) {
  const target = onto ? idOf("onto", onto) : undefined;
  if (!character) return relative(posed, posed.convertURL(clip.id, "glb", { mesh: "auto", onto: target }));
  const anywhere = posed.inArchive(undefined), id = idOf("character", character);
  const one = await anywhere.character(id, {}, { signal });
  if (!target && one.clips.some(({ id: known }) => known === clip.id))
    return relative(posed, anywhere.characterURL(id, { clips: clip.id, archive: posed.archive === one.archive ? one.archive : undefined }));
  const mesh = one.meshes.map((each) => each.id).join(",");
  const skeleton = target ?? one.skeleton;
  return relative(posed, posed.convertURL(clip.id, "glb", skeleton === clip.skeleton ? { mesh, skeleton } : { mesh, onto: skeleton }));
}

/** Posed.request takes paths. */
const relative = (posed, url) => url.slice(posed.base.length);
