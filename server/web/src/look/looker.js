// A thread of the page that reads files with libpose as WebAssembly: they are sent nowhere. Asked [number, question, values],
// it answers [number, value] or [number, null, problem].
import { compile, Local } from "../../../../api/client/local/local.js";

let module, local;

const answers = {
  async open(url, files) {
    module ??= await compile(fetch(url).then((response) => {
      if (!response.ok) throw new Error(`The server answered ${response.status}.`);
      return response;
    }));
    local?.close();
    local = new Local(module);
    return local.open(await Promise.all(files.map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) }))));
  },
  glb: (clip) => local.glb(clip).buffer,
};

addEventListener("message", async ({ data: [number, question, ...values] }) => {
  try {
    postMessage([number, await answers[question](...values)]);
  } catch (error) {
    postMessage([number, null, error.problem ?? { code: "not_local", detail: error.message }]);
  }
});
