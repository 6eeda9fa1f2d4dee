// Bundles the pages into a folder and writes a C file that holds them: node build.mjs OUT MODULES
// MODULES is the node_modules that npm has made of package-lock.json.
// Names carry a digest of the bytes, so that they may be cached for ever; bodies are kept gzipped.
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { icon } from "./icon.mjs";

const here = new URL(".", import.meta.url).pathname;
const [out, modules] = process.argv.slice(2);
const { build } = createRequire(`${modules}/`)("esbuild");
mkdirSync(out, { recursive: true });

const types = { js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8", html: "text/html; charset=utf-8", ico: "image/x-icon" };
const files = [];
const digest = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 16);

function keep(name, bytes) {
  const packed = gzipSync(bytes, { level: 9 });
  packed.fill(0, 4, 8); // no time stamp: the same sources are the same bytes
  const file = `${out}/${name}.gz`;
  writeFileSync(file, packed);
  files.push({ name, file, type: types[name.split(".").pop()], tag: digest(bytes), size: bytes.length });
}

// One bundle of a script and the style that it imports; {script, style} are where they will be served.
async function bundle(entry) {
  const result = await build({
    entryPoints: [`${here}src/${entry}.js`],
    bundle: true, minify: true, format: "esm", target: "es2022", write: false, outdir: out, legalComments: "none",
    loader: { ".svg": "dataurl", ".png": "dataurl" }, logLevel: "warning", nodePaths: [modules],
  });
  const links = {};
  for (const output of result.outputFiles) {
    const kind = output.path.split(".").pop();
    const name = `assets/${entry}-${digest(output.contents)}.${kind}`;
    mkdirSync(`${out}/assets`, { recursive: true });
    keep(name, Buffer.from(output.contents));
    links[kind === "js" ? "script" : "style"] = `/${name}`;
  }
  return links;
}

function page(name, links) {
  const text = readFileSync(`${here}${name}.html`, "utf8");
  keep(`${name}.html`, Buffer.from(text.replace(/\{\{(\w+)\}\}/g, (_, key) => links[key])));
}

const app = await bundle("app");
page("index", app);
page("embed", app);
page("error", app);
keep("favicon.ico", icon());
page("docs", await bundle("docs"));
keep("client.js", readFileSync(`${here}../../api/client/posed.js`));

const symbol = (i) => `web_file_${i}`;
const assembly = files.map((f, i) =>
  `        ".global ${symbol(i)}, ${symbol(i)}_end\\n${symbol(i)}: .incbin \\"${f.file}\\"\\n${symbol(i)}_end:\\n"`);
const rows = files.map((f, i) =>
  `    {"${f.name}", "${f.type}", "\\"${f.tag}\\"", "\\"${f.tag}-gzip\\"", ${symbol(i)}, ${symbol(i)}_end, ${f.size}},`);
writeFileSync(`${out}/web_files.c`, `/* Written by server/web/build.mjs. */
#include "api/pages/files.h"

__asm__(".section .rodata\\n"
${assembly.join("\n")}
        ".previous\\n");
${files.map((_, i) => `extern const unsigned char ${symbol(i)}[], ${symbol(i)}_end[];`).join("\n")}

const struct web_file web_files[] = {
${rows.join("\n")}
    {0},
};
`);
if (process.env.VERBOSE) for (const f of files) console.log(`${f.name}: ${f.size} bytes, ${readFileSync(f.file).length} gzipped`);
