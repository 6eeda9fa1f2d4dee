// Where the sources are published, as npm wants it said (docs.npmjs.com, package.json: repository, homepage, bugs).
import { execFileSync } from "node:child_process";
import { realpathSync } from "node:fs";

/** Where these hosts keep a project's issues. */
const ISSUES = { "github.com": "issues", "codeberg.org": "issues", "gitlab.com": "-/issues" };

/** host:path and user@host:path, which ssh and git take for ssh://; a letter before the colon is a drive of Windows. */
const SCP = /^(?:[^@/:]+@)?(?<host>[^/:@]{2,}):(?!\/\/)(?<path>.+)$/;

function parse(text) {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** Which of these machines others reach by that name as well: a name with a dot, no alias of ssh and no number. */
const isPublic = (host) => /\.[a-z][^.]*$/i.test(host);

/** What git takes as an address, as a URL that anybody may read, without credentials; null for paths, files and aliases. */
export function publicURL(address) {
  const scp = SCP.exec(address)?.groups;
  const [, protocol, rest] = scp ? [null, "ssh", `${scp.host}/${scp.path.replace(/^\/+/, "")}`] : /^(?:git\+)?(https?|ssh|git):\/\/(.+)$/.exec(address) ?? [];
  if (!protocol || scp?.path.startsWith("~")) return null;
  const isWeb = protocol.startsWith("http"), url = parse(`${isWeb ? protocol : "https"}://${rest}`), path = url?.pathname.replace(/\/+$/, "");
  if (!path || !isPublic(url.hostname)) return null;
  return `git+${url.protocol}//${isWeb ? url.host : url.hostname}${path}`; // the port of ssh is none of https
}

/** The members of package.json for an address; {} if it is not a public one. */
export function publishedAt(address, directory) {
  const url = publicURL(address);
  if (!url) return {};
  const page = url.replace(/^git\+/, "").replace(/\.git$/, ""), issues = ISSUES[new URL(page).hostname];
  return {
    repository: { type: "git", url, directory },
    ...(issues && { homepage: `${page}#readme`, bugs: { url: `${page}/${issues}` } }),
  };
}

const git = (folder, ...words) => execFileSync("git", ["-C", folder, ...words], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();

/** The remote "origin" of a source tree; undefined where it has none, is no repository, or lies in somebody else's. */
export function originOf(folder) {
  try {
    return realpathSync(git(folder, "rev-parse", "--show-toplevel")) === realpathSync(folder) ? git(folder, "remote", "get-url", "origin") : undefined;
  } catch {
    return undefined;
  }
}
