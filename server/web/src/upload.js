// Files given to the page. Dropped ones are looked at, and nothing is kept; the button, there and in the bar, uploads:
// progress, then a report with the files that failed.
import { bytes, el, failure, ours, say } from "./dom.js";
import { packed } from "./packed.js";

/** XMLHttpRequest, because fetch does not report upload progress. */
function send(url, body, token, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", ours(url));
    request.responseType = "json";
    if (token) request.setRequestHeader("Authorization", `Bearer ${token}`);
    request.upload.addEventListener("progress", (event) => onProgress(event.loaded, event.total));
    request.addEventListener("load", () => resolve({ status: request.status, body: request.response }));
    request.addEventListener("error", () => reject(new Error("Cannot reach the server.")));
    request.send(body);
  });
}

const MAX_UNKNOWN = 20; // names listed in the report

/** The names of the files in an archive whose format is unknown. */
async function unknownFiles(posed, answer) {
  const { items } = await (await posed.request(`${answer.links.entries}?limit=1000`)).json();
  return items.filter((entry) => !entry.format && !entry.error).map((entry) => entry.name);
}

function report(answer, others, dialog, go) {
  const { clips, rejected } = answer;
  const parts = [];
  if (clips.length) {
    parts.push(el("p", {}, clips.length === 1 ? "1 clip added:" : `${clips.length} clips added:`),
      el("ul", { class: "found" }, ...clips.slice(0, 50).map((clip) =>
        el("li", {}, el("a", { href: `/clip/${clip.id}?archive=${clip.archive}`, onclick: (event) => { event.preventDefault(); dialog.close(); go(`/clip/${clip.id}?archive=${clip.archive}`); } }, clip.name)))));
  } else {
    parts.push(el("p", {}, "Uploaded. It contains no clips."));
  }
  if (rejected.length)
    parts.push(el("p", {}, "Files that could not be read:"),
      el("ul", { class: "rejected" }, ...rejected.map((one) => el("li", {}, el("b", {}, one.entry), " ", one.error.detail))));
  if (others.length)
    parts.push(el("p", {}, "Files of unknown formats:"),
      el("ul", { class: "rejected" }, ...others.slice(0, MAX_UNKNOWN).map((name) => el("li", {}, name)),
        others.length > MAX_UNKNOWN ? el("li", {}, `and ${others.length - MAX_UNKNOWN} more`) : null));
  return parts;
}

const WANTS_TOKEN = ["no_token", "wrong_token"];

/** Asks for the token that the server requires for writes. */
function tokenForm(onToken) {
  const field = el("input", { type: "password", id: "token", autocomplete: "off", required: true });
  const form = el("form", { class: "token" }, el("label", { class: "field", for: "token" }, "Token", field),
    el("button", { type: "submit" }, "Upload with token"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    onToken(field.value.trim());
  });
  return form;
}

export function acceptUploads(posed, go) {
  const input = document.getElementById("upload-input");
  const drop = document.getElementById("drop");
  let token = ""; // kept until the page is closed, stored nowhere

  async function show(answer, body, dialog) {
    if (answer.state === "waiting") {
      const text = "Uploaded. Others see it once a moderator has published it.";
      body.replaceChildren(el("p", {}, text));
      return say(text);
    }
    const others = await unknownFiles(posed, answer).catch(() => []);
    body.replaceChildren(...report(answer, others, dialog, go));
    say(`Uploaded: ${answer.clips.length} clips, ${answer.rejected.length} files failed`);
    if (answer.clips.length === 1 && !answer.rejected.length && !others.length) {
      dialog.close();
      go(`/clip/${answer.clips[0].id}?archive=${answer.id}`);
    }
  }

  async function attempt(files, body, dialog) {
    const total = files.reduce((sum, file) => sum + file.size, 0);
    const progress = el("progress", { max: 1, "aria-label": "Upload" });
    body.replaceChildren(progress, el("p", {}, `${files.length === 1 ? files[0].name : `${files.length} files`}, ${bytes(total)}`));
    const [url, data] = packed(files, "/v1/archives");
    const { status, body: answer } = await send(url, data, token, (sent, all) => (progress.value = all ? sent / all : 0));
    if (status === 200 || status === 201) return show(answer, body, dialog);
    body.replaceChildren(el("p", { class: "notice bad", role: "alert" },
      files.length === 1 ? el("b", {}, `${files[0].name} `) : null, answer?.detail ?? `The server answered ${status}.`));
    if (WANTS_TOKEN.includes(answer?.code))
      body.append(tokenForm((given) => {
        token = given;
        return upload(files, body, dialog);
      }));
  }

  function upload(files, body, dialog) {
    return attempt(files, body, dialog).catch((error) => body.replaceChildren(failure(error)));
  }

  /** A dialog that fill(body, dialog, title) fills. */
  function ask(name, fill) {
    const body = el("div"), title = el("h2", { id: "upload-title" }, name);
    const close = el("button", { type: "button", onclick: () => dialog.close() }, "Close");
    const dialog = el("dialog", { class: "upload", "aria-labelledby": "upload-title" }, title, body, close);
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    fill(body, dialog, title);
  }

  function begin(files) {
    if (files.length) ask("Upload", (body, dialog) => upload(files, body, dialog));
  }

  /** Looks at files; uploading them is another step. */
  function peek(files) {
    if (!files.length) return;
    ask("A look at what you dropped", async (body, dialog, title) => {
      body.replaceChildren(el("p", {}, el("span", { class: "spinner", "aria-hidden": "true" }), "Reading …"));
      const keep = () => { title.textContent = "Upload"; upload(files, body, dialog); };
      try {
        await (await import("./look/look.js")).look(posed, files, body, keep);
      } catch (error) {
        body.replaceChildren(failure(error));
      }
    });
  }

  document.getElementById("upload-button").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    begin([...input.files]);
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
    peek([...event.dataTransfer.files]);
  });
}
