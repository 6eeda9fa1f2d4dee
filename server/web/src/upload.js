// Uploads: by the button or by dropping files anywhere, with progress, and a report of what could not be read.
import { bytes, el, say } from "./dom.js";

/** fetch tells nothing of progress; XMLHttpRequest does. */
function send(url, body, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", url);
    request.responseType = "json";
    request.upload.addEventListener("progress", (event) => onProgress(event.loaded, event.total));
    request.addEventListener("load", () => resolve({ status: request.status, body: request.response }));
    request.addEventListener("error", () => reject(new Error("the server could not be reached")));
    request.send(body);
  });
}

/** Files that were dropped or chosen together belong together: one archive. */
function packed(files) {
  if (files.length === 1) return [`/v1/archives?${new URLSearchParams({ name: files[0].name })}`, files[0]];
  const form = new FormData();
  for (const file of files) form.append("file", file, file.name);
  return ["/v1/archives", form];
}

const NAMED = 20; // of what nobody reads, so many by name

/** The names of those files in an archive that are of no format that is read. */
async function unread(posed, answer) {
  const { items } = await (await posed.request(`${answer.links.entries}?limit=1000`)).json();
  return items.filter((entry) => !entry.format && !entry.error).map((entry) => entry.name);
}

function report(answer, others, dialog, go) {
  const { clips, rejected } = answer;
  const parts = [];
  if (clips.length) {
    parts.push(el("p", {}, clips.length === 1 ? "One clip is there now:" : `${clips.length} clips are there now:`),
      el("ul", { class: "found" }, ...clips.slice(0, 50).map((clip) =>
        el("li", {}, el("a", { href: `/clip/${clip.id}`, onclick: (event) => { event.preventDefault(); dialog.close(); go(`/clip/${clip.id}`); } }, clip.name)))));
  } else {
    parts.push(el("p", {}, "It was taken, and holds no clips."));
  }
  if (rejected.length)
    parts.push(el("p", {}, "What could not be read, and why:"),
      el("ul", { class: "rejected" }, ...rejected.map((one) => el("li", {}, el("b", {}, one.entry), " ", one.error.detail))));
  if (others.length)
    parts.push(el("p", {}, "Of no format that is read:"),
      el("ul", { class: "rejected" }, ...others.slice(0, NAMED).map((name) => el("li", {}, name)),
        others.length > NAMED ? el("li", {}, `and ${others.length - NAMED} more`) : null));
  return parts;
}

export function acceptUploads(posed, go) {
  const input = document.getElementById("upload-input");
  const drop = document.getElementById("drop");

  async function upload(files) {
    if (!files.length) return;
    const total = files.reduce((sum, file) => sum + file.size, 0);
    const progress = el("progress", { max: 1, "aria-label": "Upload" });
    const body = el("div", {}, progress, el("p", {}, `${files.length === 1 ? files[0].name : `${files.length} files`}, ${bytes(total)}`));
    const close = el("button", { type: "button", class: "primary", onclick: () => dialog.close() }, "Close");
    const dialog = el("dialog", { class: "upload", "aria-labelledby": "upload-title" }, el("h2", { id: "upload-title" }, "Upload"), body, close);
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    const [url, data] = packed(files);
    try {
      const answer = await send(url, data, (sent, all) => (progress.value = all ? sent / all : 0));
      if (answer.status === 200 || answer.status === 201) {
        const others = await unread(posed, answer.body).catch(() => []);
        body.replaceChildren(...report(answer.body, others, dialog, go));
        say(`Uploaded: ${answer.body.clips.length} clips, ${answer.body.rejected.length} files not read`);
        if (answer.body.clips.length === 1 && !answer.body.rejected.length && !others.length) {
          dialog.close();
          go(`/clip/${answer.body.clips[0].id}`);
        }
      } else {
        body.replaceChildren(el("p", { class: "notice bad", role: "alert" },
          files.length === 1 ? el("b", {}, `${files[0].name} `) : null, answer.body?.detail ?? `the server answered ${answer.status}`));
      }
    } catch (error) {
      body.replaceChildren(el("p", { class: "notice bad", role: "alert" }, error.message));
    }
  }

  document.getElementById("upload-button").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    upload([...input.files]);
    input.value = "";
  });
  const holdsFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  let depth = 0;
  addEventListener("dragenter", (event) => {
    if (!holdsFiles(event)) return;
    depth++;
    drop.hidden = false;
  });
  addEventListener("dragleave", (event) => {
    if (holdsFiles(event) && --depth <= 0) drop.hidden = true;
  });
  addEventListener("dragover", (event) => holdsFiles(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    depth = 0;
    drop.hidden = true;
    upload([...event.dataTransfer.files]);
  });
}
