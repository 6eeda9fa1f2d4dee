// Bundles the pages into a folder and writes a C file that holds them: node build.mjs OUT MODULES [LIBPOSE]
// MODULES is the node_modules that npm has made of package-lock.json; LIBPOSE is libpose.wasm, where there is one.
// Names carry a digest of the bytes, so that they may be cached for ever; bodies are kept gzipped.
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { icon } from "./icon.mjs";

const here = new URL(".", import.meta.url).pathname;
const [out, modules, libpose] = process.argv.slice(2);
const { build } = createRequire(`${modules}/`)("esbuild");
mkdirSync(out, { recursive: true });

const types = { js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8", html: "text/html; charset=utf-8", ico: "image/x-icon", wasm: "application/wasm" };
const files = [];
const digest = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 16);

function keep(name, bytes) {
  const packed = gzipSync(bytes, { level: 9 });
  packed.fill(0, 4, 8); // no time stamp: the same sources are the same bytes
  const file = `${out}/${name}.gz`;
  writeFileSync(file, packed);
  files.push({ name, file, type: types[name.split(".").pop()], tag: digest(bytes), size: bytes.length });
}

/** The file that was kept last, by Brotli as well: an eighth smaller, for two seconds that are spent once, since its name tells its bytes. */
function keepByBrotli(bytes) {
  const last = files.at(-1), params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  last.brotli = last.file.replace(/gz$/, "br");
  if (existsSync(last.brotli)) return;
  writeFileSync(`${last.brotli}.part`, brotliCompressSync(bytes, { params }));
  renameSync(`${last.brotli}.part`, last.brotli);
}

const options = {
  bundle: true, minify: true, format: "esm", target: "es2022", write: false, outdir: out, legalComments: "eof",
  loader: { ".svg": "dataurl", ".png": "dataurl" }, logLevel: "warning", nodePaths: [modules],
};

// The scripts of the pages and the styles that they import; what several use, or one needs later, is a file of its own.
const client = `${here}../../api/client`;
mkdirSync(`${out}/assets`, { recursive: true });
const define = { LIBPOSE: "null", LOOKER: "null" };
if (libpose) {
  const bytes = readFileSync(libpose), name = `assets/libpose-${digest(bytes).slice(0, 8)}.wasm`;
  const looker = await build({ ...options, entryPoints: { looker: `${here}src/look/looker.js` }, entryNames: "assets/[name]-[hash]" });
  const [{ path, contents }] = looker.outputFiles, script = path.slice(path.lastIndexOf("/assets/") + 1);
  keep(name, bytes);
  keepByBrotli(bytes);
  keep(script, Buffer.from(contents));
  Object.assign(define, { LIBPOSE: JSON.stringify(`/${name}`), LOOKER: JSON.stringify(`/${script}`) });
}
const entries = { app: `${here}src/app.js`, docs: `${here}src/docs.js`, embed: `${here}src/embed.js`, moderation: `${here}src/moderation.js`, stage: `${client}/element/stage.js` };
const bundled = await build({ ...options, define, entryPoints: entries, splitting: true, metafile: true, entryNames: "assets/[name]-[hash]", chunkNames: "assets/part-[hash]" });
const links = {};
for (const { path, contents } of bundled.outputFiles) {
  const name = path.slice(path.lastIndexOf("/assets/") + 1);
  const [, entry, kind] = /^assets\/(\w+)-\w+\.(\w+)$/.exec(name);
  keep(name, Buffer.from(contents));
  (links[entry] ??= {})[kind === "js" ? "script" : "style"] = `/${name}`;
}

/** What a script cannot begin without, however deep: fetched beside it, not after it. */
function partsOf(script) {
  const { outputs } = bundled.metafile, nameOf = (path) => path.slice(path.lastIndexOf("/assets/"));
  const byName = new Map(Object.entries(outputs).map(([path, output]) => [nameOf(path), output]));
  const parts = new Set([script]);
  for (const part of parts) // which grows meanwhile
    for (const { path, kind } of byName.get(part).imports) if (kind === "import-statement") parts.add(nameOf(path));
  return [...parts].slice(1);
}

function page(name, script) {
  const preloads = partsOf(links[script].script).map((part) => `<link rel="modulepreload" href="${part}" />`).join("");
  const text = readFileSync(`${here}${name}.html`, "utf8").replace(/<script type="module"/, `${preloads}$&`);
  keep(`${name}.html`, Buffer.from(text.replace(/\{\{(\w+)\}\}/g, (_, key) => links[script][key])));
}

page("index", "app");
page("embed", "embed");
page("error", "app");
page("docs", "docs");
page("moderation", "moderation");
keep("favicon.ico", icon());
keep("client.js", readFileSync(`${client}/posed.js`));

// The element is one file under a lasting name; what it draws with is fetched from beside it.
const stage = { name: "stage", setup: ({ onResolve }) => onResolve({ filter: /\/stage\.js$/ }, () => ({ path: `.${links.stage.script}`, external: true })) };
const banner = "/*! posed-clip, of posed. MIT License. With three.js, whose notice is in the file that this one loads. */";
const element = await build({ ...options, entryPoints: { "posed-clip": `${client}/element/element.js` }, plugins: [stage], banner: { js: banner } });
keep("posed-clip.js", Buffer.from(element.outputFiles[0].contents));

const symbol = (i) => `web_file_${i}`;
const parts = files.flatMap((f, i) => [[symbol(i), f.file], ...(f.brotli ? [[`${symbol(i)}_br`, f.brotli]] : [])]);
const assembly = parts.map(([name, file]) =>
  `__asm__(".section .rodata\\n"
        ".global ${name}, ${name}_end\\n${name}: .incbin \\"${file}\\"\\n${name}_end:\\n"
        ".previous\\n");`);
const rows = files.map((f, i) =>
  `    {"${f.name}", "${f.type}", "\\"${f.tag}\\"", "\\"${f.tag}-gzip\\"", ${symbol(i)}, ${symbol(i)}_end, ${f.size}, ${f.brotli ? `${symbol(i)}_br, ${symbol(i)}_br_end` : "NULL, NULL"}},`);
writeFileSync(`${out}/web_files.c`, `/* Written by server/web/build.mjs. */
#include "api/pages/files.h"

${assembly.join("\n")}
${parts.map(([name]) => `extern const unsigned char ${name}[], ${name}_end[];`).join("\n")}

const struct web_file web_files[] = {
${rows.join("\n")}
    {0},
};
`);
if (process.env.VERBOSE) for (const f of files) console.log(`${f.name}: ${f.size} bytes, ${readFileSync(f.file).length} gzipped`);
