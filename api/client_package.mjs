// The client as a package that holds the module: node client_package.mjs OUT LIBPOSE. The package.json of the sources promises
// no module, since most builds make none.
import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [out, libpose] = process.argv.slice(2);
const source = new URL("client/", import.meta.url).pathname;
rmSync(out, { recursive: true, force: true });
cpSync(source, out, { recursive: true });
copyFileSync(libpose, join(out, "local/libpose.wasm"));
const about = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
about.exports["./libpose.wasm"] = "./local/libpose.wasm";
writeFileSync(join(out, "package.json"), `${JSON.stringify(about, null, 2)}\n`);
