// What npm would publish of the client: whatever package.json says has to be there, and where the sources are.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { publicURL, publishedAt } from "../../api/repository.mjs";

const root = new URL("../../", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "posed-client-"));
after(() => rmSync(folder, { recursive: true, force: true }));
// The tree that the tests run in may have settings of its own.
const environment = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", GIT_CEILING_DIRECTORIES: tmpdir() };
for (const name of ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "POSED_REPOSITORY"]) delete environment[name];

const skip = spawnSync("git", ["--version"]).status === 0 ? false : "no git";
const npm = process.env.NPM ?? "npm";

/** A tree with the sources of the package, in a git repository with that remote (undefined: in none). */
function tree(name, remote) {
  const path = join(folder, name), git = (...words) => execFileSync("git", ["-C", path, ...words], { env: environment });
  mkdirSync(join(path, "api"), { recursive: true });
  for (const part of ["client", "client_package.mjs", "repository.mjs"]) cpSync(join(root, "api", part), join(path, "api", part), { recursive: true });
  if (remote === undefined) return path;
  git("init", "--quiet");
  if (remote) git("remote", "add", "origin", remote);
  return path;
}

/** Runs client_package.mjs of a tree: what it says, and what it makes. */
function make(path, { repository, module } = {}) {
  const out = join(path, "out"), words = [join(path, "api/client_package.mjs"), out, ...(module ? [module] : [])];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8", env: { ...environment, ...(repository && { POSED_REPOSITORY: repository }) } });
  return { status, stdout, stderr, out, about: status ? null : JSON.parse(readFileSync(join(out, "package.json"), "utf8")) };
}

/** The files of the tarball that npm makes of a folder, unpacked: their names, and its package.json. */
function packed(from) {
  const [tarball] = JSON.parse(execFileSync(npm, ["pack", "--json", from], { cwd: folder, encoding: "utf8", env: { ...environment, npm_config_offline: "true" }, stdio: ["ignore", "pipe", "ignore"] }));
  const about = JSON.parse(execFileSync("tar", ["-xzOf", join(folder, tarball.filename), "package/package.json"], { encoding: "utf8" }));
  return { files: tarball.files.map((file) => file.path).sort(), about };
}

test("the address of a remote becomes one that npm wants and anybody may read", () => {
  const wanted = "git+https://example.org/someone/posed.git";
  for (const address of [
    "https://example.org/someone/posed.git", "https://example.org/someone/posed.git/", wanted,
    "https://someone:secret@example.org/someone/posed.git", "https://token@example.org/someone/posed.git?token=secret#main",
    "git@example.org:someone/posed.git", "example.org:/someone/posed.git", "ssh://git@example.org/someone/posed.git",
    "ssh://git@example.org:2222/someone/posed.git", "git+ssh://git@example.org/someone/posed.git", "git://example.org:9418/someone/posed.git",
  ]) assert.equal(publicURL(address), wanted, address);
  assert.equal(publicURL("https://example.org:8443/posed"), "git+https://example.org:8443/posed");
  assert.equal(publicURL("http://someone:secret@example.org/posed"), "git+http://example.org/posed");
});

test("what is on this machine, or has a name only here, is no address", () => {
  for (const address of [
    "/srv/git/posed.git", "../posed", "./posed:old", "posed", "file:///srv/git/posed.git", "C:/posed", "C:\\posed", "work:someone/posed.git",
    "git@work:someone/posed.git", "example.org:~/posed.git", "https://localhost:8080/posed", "http://127.0.0.1/posed", "ssh://git@[::1]/posed", "https://", "https://example.org/", "",
  ]) assert.equal(publicURL(address), null, address);
});

test("a homepage and a place for bugs are only named where they follow", () => {
  const page = (host) => `https://${host}/someone/posed`;
  for (const [host, issues] of [["github.com", "issues"], ["codeberg.org", "issues"], ["gitlab.com", "-/issues"]])
    assert.deepEqual(publishedAt(`git@${host}:someone/posed.git`, "api/client"), {
      repository: { type: "git", url: `git+${page(host)}.git`, directory: "api/client" }, homepage: `${page(host)}#readme`, bugs: { url: `${page(host)}/${issues}` },
    });
  assert.deepEqual(Object.keys(publishedAt("https://example.org/posed.git", "api/client")), ["repository"]);
  assert.deepEqual(publishedAt("/srv/git/posed.git", "api/client"), {});
});

test("the tarball names the remote of its sources, its license and its engines", { skip }, () => {
  const { about, stdout, out } = make(tree("remote", "https://someone:secret@example.org/someone/posed.git"));
  assert.equal(stdout, "");
  const { files, about: found } = packed(out);
  assert.deepEqual(found.repository, { type: "git", url: "git+https://example.org/someone/posed.git", directory: "api/client" });
  assert.deepEqual(found.engines, { node: ">=18" });
  assert.equal(found.license, "MIT");
  assert.ok(files.includes("LICENSE"));
  assert.deepEqual(found, about);
});

test("a setting counts more than the remote, and has to be an address", { skip }, () => {
  const path = tree("setting", "https://example.org/old.git");
  assert.equal(make(path, { repository: "git@example.org:someone/new.git" }).about.repository.url, "git+https://example.org/someone/new.git");
  const refused = make(path, { repository: "/srv/git/posed.git" });
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /POSED_REPOSITORY/);
});

test("without an address that is said in a line, and the field is left out", { skip }, () => {
  const outer = tree("outer", "https://example.org/other.git");
  for (const path of [tree("none"), tree("bare", ""), tree("local", "/srv/git/posed.git"), tree("outer/inner")]) {
    const { about, stdout } = make(path);
    assert.ok(!("repository" in about || "homepage" in about || "bugs" in about), path);
    assert.match(stdout, /^[^\n]*POSED_REPOSITORY[^\n]*\n$/);
  }
  assert.ok(make(outer).about.repository);
});

test("what is packed is what is needed and nothing else, and the module where one was built", () => {
  const wanted = ["LICENSE", "README.md", ...["element.d.ts", "element.js", "figure.js", "floor.js", "light.js", "source.js", "stage.js", "template.js"].map((name) => `element/${name}`), "example.html", "local/local.d.ts", "local/local.js", "package.json", "posed.d.ts", "posed.js", "three.d.ts", "three.js"];
  const path = tree("files"), module = join(path, "libpose.wasm");
  writeFileSync(module, "\0asm");
  for (const [made, files] of [[{}, wanted], [{ module }, [...wanted, "local/libpose.wasm"].sort()]]) {
    const tarball = packed(make(path, made).out);
    assert.deepEqual(tarball.files, files);
    for (const [name, target] of Object.entries(tarball.about.exports))
      for (const one of typeof target === "string" ? [target] : Object.values(target)) assert.ok(files.includes(one.replace("./", "")), `${name}: ${one}`);
  }
});
