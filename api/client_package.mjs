// The client as a package for npm pack: node client_package.mjs OUT [LIBPOSE]. The package.json of the sources names no
// module, since not every build makes one, and no repository, since only who publishes it knows that: it is POSED_REPOSITORY of
// the environment, or else the remote "origin" of the source tree.
import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { originOf, publishedAt } from "./repository.mjs";

const [out, libpose] = process.argv.slice(2);
const root = fileURLToPath(new URL("..", import.meta.url)), source = join(root, "api/client");
const given = process.env.POSED_REPOSITORY;
const published = publishedAt(given || originOf(root) || "", "api/client");
if (given && !published.repository) {
  console.error("POSED_REPOSITORY is not the address of a public repository, such as https://example.org/posed.git");
  process.exit(1);
}
if (!published.repository) console.log('The client package names no repository: POSED_REPOSITORY is not set, and there is no public remote "origin".');
rmSync(out, { recursive: true, force: true });
cpSync(source, out, { recursive: true });
const about = { ...JSON.parse(readFileSync(join(source, "package.json"), "utf8")), ...published };
if (libpose) {
  copyFileSync(libpose, join(out, "local/libpose.wasm"));
  about.exports["./libpose.wasm"] = "./local/libpose.wasm";
}
writeFileSync(join(out, "package.json"), `${JSON.stringify(about, null, 2)}\n`);
