// The page of one clip: view, playback and options; beside it facts, downloads and snippets.
import { aboutClip } from "./about.js";
import { otherVersions } from "./alike.js";
import { Body } from "./view/body.js";
import { Curves } from "./view/curves.js";
import { debounce, el, failure, ours, say } from "./dom.js";
import { mixPanel } from "./mix.js";
import { ontoOf, peopleOptions, showFit } from "./onto.js";
import { Player } from "./player.js";
import { keep, setting } from "./settings.js";
import { gameNames } from "./titles.js";
import { ANGLES, Viewer } from "./view/viewer.js";
import { onItsWay, untilThere } from "./waiting.js";
import { bodyMenu } from "./wardrobe.js";

const TURN = Math.PI / 24;
const NEARER = 0.85;

/** The fragment of the URL: time, camera, skeleton, mesh, character, with, onto. */
function readLink() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

function checkbox(label, on, change) {
  const box = el("input", { type: "checkbox", checked: on, onchange: () => change(box.checked) });
  return [box, el("label", { class: "check" }, box, label)];
}

function options(list, chosen) {
  return list.map(([value, text]) => el("option", { value, selected: value === chosen }, text));
}

export function showClip(posed, content, id) {
  const link = readLink();
  const stage = el("div", { class: "stage" });
  const tip = el("div", { class: "tip", hidden: true });
  const title = el("h1", {}, "…");
  const below = el("div", { class: "below" });
  const side = el("div", { class: "side" });
  content.append(el("article", { class: "clip" }, el("div", { class: "show" }, title, stage, below), side));
  const viewer = new Viewer(stage), curves = new Curves();
  stage.append(tip, curves.element);
  stage.viewer = viewer; // for tests and measurements
  const choice = { skeleton: link.skeleton ?? "auto", mesh: link.mesh, character: link.character, with: link.with, onto: link.onto ?? "" };
  let clip, player, loading, mixed;
  let own = null; // the clip's player, while a mix plays
  let gone = false;
  const leaving = new AbortController(), arrived = onItsWay(stage);

  const remember = debounce(300, () => {
    if (gone || own || !player || player.playing) return;
    const state = new URLSearchParams({ t: Number(player.time.toFixed(5)), camera: viewer.view });
    if (choice.skeleton !== "auto") state.set("skeleton", choice.skeleton);
    for (const name of ["mesh", "character", "with"]) if (choice[name]) state.set(name, choice[name]);
    if (choice.onto) state.set("onto", choice.onto);
    history.replaceState(null, "", `#${state}`);
  });

  const plot = el("div", { class: "plot", hidden: true });
  const fit = el("section", { class: "fit", hidden: true, "aria-live": "polite" });
  /** The skeleton that the clip is shown on, as parameters. */
  const stands = () => {
    const skeleton = choice.skeleton === "auto" ? undefined : choice.skeleton;
    return choice.onto ? { skeleton, onto: ontoOf(choice.onto) } : { skeleton: viewer.poses?.head.skeleton ?? "none" };
  };
  const note = el("p", { class: "notice", hidden: true });
  const nameOf = (index) => {
    const one = viewer.poses.joints[index];
    return one.name ?? `#${one.id}`;
  };

  /** The curves of the joint under the pointer, else of the one that is selected. */
  function showCurves(hovered) {
    const index = hovered >= 0 ? hovered : viewer.selected ?? -1;
    curves.show(index, index < 0 ? "" : nameOf(index), viewer.time);
  }

  function selectJoint(index) {
    jointList.value = index < 0 ? "" : String(index);
    viewer.select(index);
    showCurves(-1);
    plot.hidden = index < 0;
    if (index < 0) return;
    say(nameOf(index));
    const wanted = { joint: nameOf(index), width: Math.min(Math.max(below.clientWidth, 280), 1000), height: 320, ...stands() };
    plot.replaceChildren(el("img", { src: posed.plotURL(id, wanted), alt: `Curves of ${nameOf(index)}`, width: wanted.width, height: wanted.height }));
  }

  const jointList = el("select", { id: "joint", onchange: () => selectJoint(jointList.value === "" ? -1 : Number(jointList.value)) });
  const skeletonList = el("select", {
    id: "skeleton", onchange: () => { choice.skeleton = skeletonList.value; reload(); },
  });
  const skeletonLink = el("a", { "data-link": true, hidden: true }, "its joints");
  const ontoList = el("select", { id: "onto", onchange: () => { choice.onto = ontoList.value; reload(); } });
  const bodies = bodyMenu(posed, choice, () => loadBody().then(remember));
  const [bonesBox, bones] = checkbox("Bones", true, (on) => (viewer.showsBones = on));
  const [floorBox, floor] = checkbox("Floor", setting("floor", true), (on) => { viewer.showsFloor = on; keep("floor", on); });
  const [ghostsBox, ghosts] = checkbox("Onion skin", setting("ghosts", false), (on) => { viewer.setGhosts(on, player.step); keep("ghosts", on); });
  const [followBox, follow] = checkbox("Follow", false, (on) => { viewer.followsFigure = on; keep("follow", on); });
  const angles = el("div", { class: "angles", role: "group", "aria-label": "Camera" }, ...Object.keys(ANGLES).map((angle) =>
    el("button", { type: "button", class: "quiet", onclick: () => look(angle) }, angle)));

  function look(angle) {
    viewer.frameAll(angle);
    remember();
  }

  function fail(error) {
    if (gone || error.name === "AbortError") return;
    arrived();
    if (!clip) document.title = `${(title.textContent = "No clip to show")} · posed`;
    stage.hidden = !viewer.poses;
    below.prepend(failure(error));
    document.documentElement.dataset.ready = "clip";
  }

  function reload() {
    below.querySelector(":scope > .bad")?.remove();
    if (own) return mixed.again();
    loadPoses().then(loadBody).then(remember, fail);
  }

  /** Who plays: the choice, or on another figure its character. */
  function cast() {
    const [, carried] = own ? [] : choice.onto.split(":");
    return choice.mesh || choice.character ? { mesh: choice.mesh, character: choice.character, with: choice.with } : { mesh: "auto", character: carried };
  }

  /** The body, in one request; the bones show where there is none, or while it is not there yet. */
  async function loadBody() {
    loading?.abort();
    const { signal } = (loading = new AbortController());
    const had = Boolean(viewer.body);
    viewer.setBody(null);
    const wanted = cast();
    let body = null;
    if (wanted.mesh !== "bones" && viewer.poses.head.skeleton) {
      const skeleton = choice.skeleton === "auto" ? undefined : choice.skeleton;
      const path = posed.convertURL(id, "glb", { ...wanted, bones: "none", skeleton, onto: own ? undefined : ontoOf(choice.onto) });
      body = await Body.load(posed, path, { signal }).catch((error) => { fail(error); return null; });
    }
    if (gone || signal.aborted) return body?.dispose();
    if (own) body?.follow(viewer.poses.joints);
    viewer.setBody(body?.isEmpty ? null : body);
    bonesBox.checked = viewer.showsBones = !viewer.body;
    if (!viewer.wasTurned && (viewer.body || had)) viewer.frameAll();
  }

  async function loadPoses() {
    const onto = ontoOf(choice.onto);
    showFit(posed, id, onto ? stands() : {}, fit);
    const { signal } = leaving;
    const poses = await untilThere(() => posed.poses(id, { skeleton: choice.skeleton, onto, end: 1 }, { signal }), below, signal);
    if (gone || own) return;
    arrived();
    const time = player.time;
    showPoses(poses);
    followBox.checked = viewer.follows = viewer.hasTree && setting("follow", viewer.travels);
    viewer.frameAll();
    player.seek(time);
    skeletonLink.hidden = !poses.head.skeleton;
    skeletonLink.href = ours(`/skeleton/${poses.head.skeleton}${posed.archive ? `?archive=${posed.archive}` : ""}`);
    const messages = (poses.head.warnings ?? []).map((one) => one.message);
    if (!poses.head.skeleton && !messages.length) messages.push("There is no skeleton: each joint is shown separately, in a grid.");
    note.textContent = messages.join(" ");
    note.hidden = !messages.length;
  }

  function showPoses(poses) {
    viewer.setPoses(poses);
    curves.poses = poses;
    viewer.setGhosts(ghostsBox.checked, player.step);
    viewer.showsBones = true;
    viewer.showsFloor = floorBox.checked;
    jointList.replaceChildren(...options([["", "none"], ...poses.joints.map((_, i) => [i, nameOf(i)])]));
    selectJoint(-1);
  }

  function replacePlayer(next) {
    player.pause();
    player.element.replaceWith(next.element);
    player = next;
  }

  /** Shows a mix on the clip's own body, from where it was when it is one already. */
  function showMix(poses, whole) {
    if (gone) return;
    const begins = !own, { time, playing } = player, showed = bonesBox.checked;
    own ??= player;
    bodies.disabled = ontoList.disabled = true;
    const body = viewer.takeBody();
    showPoses(poses);
    body?.follow(poses.joints);
    viewer.setBody(body);
    bonesBox.checked = viewer.showsBones = showed;
    if (begins && (choice.onto || !body)) loadBody(); // that one was another figure's, or is not there yet
    replacePlayer(new Player(viewer, whole));
    if (begins || !viewer.wasTurned) viewer.frameAll();
    player.seek(begins ? 0 : time);
    if (begins || playing) player.play();
    document.documentElement.dataset.mixed = poses.head.times.length;
  }

  function leaveMix() {
    if (!own) return;
    replacePlayer(own);
    own = null;
    bodies.disabled = ontoList.disabled = false;
    delete document.documentElement.dataset.mixed;
    reload();
  }

  async function load() {
    const nobody = { items: [], characters: [] };
    const { signal } = leaving;
    const [metadata, events, skeletons, formats, people] = await untilThere(() => Promise.all([
      posed.clip(id, { signal }), posed.events(id).catch(() => ({ items: [] })), posed.skeletons({ limit: 500 }), posed.formats(), posed.people().catch(() => nobody)]), below, signal);
    if (gone) return;
    clip = metadata;
    document.title = `${clip.name} · posed`;
    title.textContent = clip.name;
    player = new Player(viewer, clip, events.items);
    player.time = Number(link.t) || 0;
    player.onTime = remember;
    const games = gameNames(formats.items);
    skeletonList.append(...options([["auto", "Automatic"], ["none", "None"], ...skeletons.items.map((one) => [one.id, `${one.name} (${games.get(one.format)})`])], choice.skeleton));
    ontoList.append(...options(peopleOptions(people, games), choice.onto));
    mixed = mixPanel(posed, clip, {
      show: showMix, leave: leaveMix, options: () => (choice.skeleton === "auto" || choice.skeleton === "none" ? {} : { skeleton: choice.skeleton }),
    });
    below.append(player.element, note,
      el("div", { class: "options", role: "group", "aria-label": "View" }, bones, floor, ghosts, follow, angles, el("span", { class: "break" }),
        el("div", { class: "field" }, el("span", {}, el("label", { for: "skeleton" }, "Skeleton"), " ", skeletonLink), skeletonList),
        el("div", { class: "field" }, el("label", { for: "onto" }, "Play on"), ontoList),
        bodies.element,
        el("label", { class: "field", for: "joint" }, "Joint", jointList)),
      bodies.parts, mixed.element, fit, plot);
    side.append(...aboutClip(posed, clip, { events: events.items, formats: formats.items, families: new Map(people.items.map((one) => [one.skeleton, one.family])) }, {
      seek: (t) => { player.pause(); player.seek(t); },
      choose: () => ({ ...choice, ...cast(), onto: ontoOf(choice.onto), time: Number(player.time.toFixed(3)) }),
    }));
    side.firstElementChild.after(otherVersions(posed, clip, formats.items, signal));
    bodies.load(clip);
    await loadPoses();
    if (gone) return;
    await loadBody();
    if (gone) return;
    if (link.camera) viewer.view = link.camera;
    player.seek(Number(link.t) || 0);
    if (link.t === undefined && !matchMedia("(prefers-reduced-motion: reduce)").matches) player.play();
    viewer.controls.addEventListener("change", remember);
    document.documentElement.dataset.ready = "clip";
  }

  viewer.onHover = (index, event) => {
    tip.hidden = index < 0;
    showCurves(index);
    if (index < 0) return;
    const box = stage.getBoundingClientRect();
    tip.textContent = nameOf(index);
    const x = Math.min(event.clientX - box.left + 12, box.width - tip.offsetWidth - 4);
    const y = Math.min(event.clientY - box.top + 12, box.height - tip.offsetHeight - 4);
    tip.style.transform = `translate(${x}px, ${y}px)`;
  };
  viewer.onSelect = selectJoint;
  viewer.onTime = (t) => curves.at(t);

  function nextJoint() {
    const { selectedIndex, length } = jointList;
    jointList.selectedIndex = (selectedIndex + 1) % length;
    jointList.dispatchEvent(new Event("change"));
  }

  const actions = {
    b: () => bonesBox.click(), f: () => floorBox.click(), m: bodies.toggle, j: nextJoint, o: () => ghostsBox.click(), c: () => followBox.click(),
    ...Object.fromEntries(Object.keys(ANGLES).map((angle, i) => [i + 1, () => look(angle)])),
    "[": () => viewer.zoom(1 / NEARER), "]": () => viewer.zoom(NEARER),
  };
  const turns = { ArrowLeft: [-TURN, 0], ArrowRight: [TURN, 0], ArrowUp: [0, TURN], ArrowDown: [0, -TURN] };

  function onKey(event) {
    if (!player || !viewer.poses || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input[type=search], select, textarea, dialog *")) return;
    if (event.key === " " && event.target.matches("button, a, input[type=checkbox], summary")) return;
    if (event.shiftKey && event.key in turns) viewer.turn(...turns[event.key]);
    else if (event.target.matches("input[type=range]") && event.key.startsWith("Arrow")) return;
    else if (event.key.toLowerCase() in actions) actions[event.key.toLowerCase()]();
    else if (!player.key(event)) return;
    event.preventDefault();
  }

  addEventListener("keydown", onKey);
  load().catch(fail);
  return () => {
    gone = true;
    leaving.abort();
    removeEventListener("keydown", onKey);
    loading?.abort();
    player?.pause();
    viewer.dispose();
  };
}
