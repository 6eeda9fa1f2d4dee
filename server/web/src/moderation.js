// Moderation: uploads, newest first, to be published or deleted. Everything is asked for with the token that is typed in,
// which this tab keeps until it is closed.
import { Posed } from "../../../api/client/posed.js";
import { base, bytes, el, failure, say } from "./dom.js";
import "./style.css";

const KEY = "posed-moderation-token";
const PAGE = 30;
const PICTURES = 3;
const content = document.getElementById("content");
const list = el("ul", { class: "reviews" });
const problem = el("div");
const more = el("button", { type: "button", hidden: true, onclick: () => load(next) }, "More");
const heading = el("h2", { tabindex: "-1", hidden: true });
let posed, next = null, state = "waiting", round = 0;

const field = el("input", { type: "password", id: "token", autocomplete: "off", required: true });
const which = el("select", { onchange: () => { state = which.value; load(); } },
  el("option", { value: "waiting" }, "Waiting"), el("option", { value: "published" }, "Published"));
const signIn = el("form", { class: "token" },
  el("label", { class: "field", for: "token" }, "Token", field), el("button", { type: "submit", class: "primary" }, "Sign in"));
const tools = el("div", { class: "token", hidden: true },
  el("label", { class: "field" }, "Uploads", which),
  el("button", { type: "button", onclick: () => load() }, "Reload"),
  el("button", { type: "button", onclick: signOut }, "Sign out"));

signIn.addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(KEY, field.value.trim());
  field.value = "";
  begin();
});

function signOut() {
  sessionStorage.removeItem(KEY);
  list.replaceChildren();
  heading.hidden = tools.hidden = more.hidden = true;
  signIn.hidden = false;
  field.focus();
}

/** A picture that only the token may see: as a blob, for an <img> sends no token. */
async function picture(clip, archive) {
  const image = el("img", { width: 160, height: 160, alt: `Picture of ${clip.name}` });
  const response = await posed.request(`/v1/clips/${clip.id}/preview.png?width=160&height=160&archive=${archive}`);
  image.src = URL.createObjectURL(await response.blob());
  await image.decode().catch(() => {});
  URL.revokeObjectURL(image.src);
  return image;
}

function facts(archive) {
  return [archive.format, bytes(archive.bytes), archive.entry_count === 1 ? "1 file" : `${archive.entry_count} files`,
    archive.uploader ? `by ${archive.uploader}` : "by somebody without a name", new Date(archive.created).toLocaleString()].join(" · ");
}

/** Pictures of its first clips, and what could not be read; they come one after the other. */
async function details(archive, into) {
  const whole = await posed.json(`/v1/archives/${archive.id}`);
  const { clips, rejected } = whole;
  const names = clips.slice(0, 10).map((clip) => clip.name).join(", ");
  into.append(el("p", {}, clips.length ? `${clips.length === 1 ? "1 clip" : `${clips.length} clips`}: ${names}${clips.length > 10 ? ", …" : ""}` : "No clips."));
  if (rejected.length) into.append(el("p", { class: "count" }, `${rejected.length} not read: ${rejected[0].entry}: ${rejected[0].error.detail}`));
  const shown = el("div", { class: "pictures" });
  into.append(shown);
  for (const clip of clips.slice(0, PICTURES)) shown.append(await picture(clip, archive.id).catch(() => ""));
}

/** Takes an item off the list; the focus goes to the one that follows. */
function settle(item, text) {
  const follower = item.nextElementSibling ?? item.previousElementSibling;
  item.remove();
  say(text);
  (follower?.querySelector("button") ?? heading).focus();
  if (!list.children.length) empty();
}

function empty() {
  heading.textContent = state === "waiting" ? "Nothing waits" : "No uploads";
}

function review(archive) {
  const reason = el("input", { maxlength: 500, autocomplete: "off" });
  const body = el("div", { class: "details" });
  const trouble = el("div");
  const act = (path, init, text) => async () => {
    const buttons = [...item.querySelectorAll("button")];
    buttons.forEach((button) => (button.disabled = true));
    try {
      await posed.request(path, init());
      settle(item, `${archive.name} ${text}`);
    } catch (error) {
      trouble.replaceChildren(failure(error));
      buttons.forEach((button) => (button.disabled = false));
    }
  };
  const path = `/v1/archives/${archive.id}`;
  const publish = archive.state === "waiting"
    ? el("button", { type: "button", class: "primary", onclick: act(`${path}/publish`, () => ({ method: "POST" }), "is published") }, "Publish", el("span", { class: "visually-hidden" }, ` ${archive.name}`))
    : null;
  const remove = el("button", { type: "button",
    onclick: act(path, () => ({ method: "DELETE", body: reason.value ? JSON.stringify({ reason: reason.value }) : undefined }), "is deleted") },
  archive.state === "waiting" ? "Refuse" : "Delete", el("span", { class: "visually-hidden" }, ` ${archive.name}`));
  const item = el("li", { class: "review" }, el("h3", {}, archive.name), el("p", { class: "count" }, facts(archive)), body,
    el("div", { class: "token" }, publish, el("label", { class: "field" }, "Reason for a refusal", reason), remove), trouble);
  details(archive, body).catch((error) => body.append(failure(error)));
  return item;
}

async function load(from) {
  const mine = ++round;
  problem.replaceChildren();
  try {
    const page = await posed.json(from ?? `/v1/archives?source=upload&state=${state}&sort=newest&limit=${PAGE}`);
    if (mine !== round) return;
    if (!from) list.replaceChildren();
    list.append(...page.items.map(review));
    next = page.next;
    more.hidden = !next;
    heading.textContent = `${page.total} ${state}`;
    heading.hidden = false;
    if (!page.total) empty();
    say(heading.textContent);
  } catch (error) {
    problem.replaceChildren(failure(error));
  }
  document.documentElement.dataset.ready = "moderation";
}

/** A token that may not publish sees only its own uploads, so it is tried first. */
async function begin() {
  const token = sessionStorage.getItem(KEY);
  problem.replaceChildren();
  signIn.hidden = Boolean(token);
  tools.hidden = !token;
  document.documentElement.dataset.ready = "moderation";
  if (!token) return field.focus();
  posed = new Posed(location.origin + base, { token });
  try {
    await posed.request(`/v1/archives/${"0".repeat(32)}/publish`, { method: "POST" });
  } catch (error) {
    if (error.status !== 404) {
      signOut();
      problem.replaceChildren(failure(error));
      return undefined;
    }
  }
  return load();
}

content.append(signIn, tools, problem, heading, list, more);
begin();
