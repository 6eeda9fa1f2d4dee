// The page of one clip: view, playback and options; beside it facts, downloads and snippets.
import { aboutClip } from "./about.js";
import { debounce, el, failure, say } from "./dom.js";
import { MeshLoader } from "./mesh.js";
import { mixPanel } from "./mix.js";
import { ontoOf, peopleOptions, showFit } from "./onto.js";
import { Player } from "./player.js";
import { ANGLES, Viewer } from "./viewer.js";

const TURN = Math.PI / 24;
const NEARER = 0.85;

/** The fragment of the URL: time, camera, skeleton, mesh, onto. */
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
  const viewer = new Viewer(stage);
  stage.append(tip);
  stage.viewer = viewer; // for tests and measurements
  const choice = { skeleton: link.skeleton ?? "auto", mesh: link.mesh ?? "", onto: link.onto ?? "" };
  let clip, player, meshLoader, lastMesh, mixed;
  let own = null; // the clip's player, while a mix plays
  let gone = false;

  const remember = debounce(300, () => {
    if (gone || own || !player || player.playing) return;
    const state = new URLSearchParams({ t: Number(player.time.toFixed(5)), camera: viewer.view });
    if (choice.skeleton !== "auto") state.set("skeleton", choice.skeleton);
    if (choice.mesh) state.set("mesh", choice.mesh);
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

  function selectJoint(index) {
    jointList.value = index < 0 ? "" : String(index);
    viewer.select(index);
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
  const ontoList = el("select", { id: "onto", onchange: () => { choice.onto = ontoList.value; reload(); } });
  const meshList = el("select", { id: "mesh", onchange: () => { choice.mesh = meshList.value; loadMesh(); remember(); } });
  const [bonesBox, bones] = checkbox("Bones", true, (on) => (viewer.showsBones = on));
  const [floorBox, floor] = checkbox("Floor", true, (on) => (viewer.showsFloor = on));
  const angles = el("div", { class: "angles", role: "group", "aria-label": "Camera" }, ...Object.keys(ANGLES).map((angle) =>
    el("button", { type: "button", class: "quiet", onclick: () => look(angle) }, angle)));

  function look(angle) {
    viewer.frameAll(angle);
    remember();
  }

  function fail(error) {
    if (gone || error.name === "AbortError") return;
    if (!clip) document.title = `${(title.textContent = "No clip to show")} · posed`;
    stage.hidden = !viewer.poses;
    below.prepend(failure(error));
    document.documentElement.dataset.ready = "clip";
  }

  function reload() {
    below.querySelector(":scope > .bad")?.remove();
    if (own) return mixed.again();
    loadPoses().then(loadMesh).then(remember, fail);
  }

  /** Meshes are only available on the clip's own skeleton. */
  async function loadMesh() {
    meshList.disabled = Boolean(choice.onto);
    if (choice.onto) meshList.value = choice.mesh = "";
    meshLoader?.stop();
    viewer.setMesh(null);
    bonesBox.checked = viewer.showsBones = !choice.mesh;
    if (!choice.mesh) return;
    lastMesh = choice.mesh;
    // The mesh may be in another archive than the clip, so the skeleton is given by id.
    meshLoader = new MeshLoader(posed.inArchive(undefined), viewer);
    const skeleton = choice.skeleton === "auto" ? viewer.poses.head.skeleton ?? "auto" : choice.skeleton;
    await meshLoader.load(choice.mesh, clip, skeleton).catch(fail);
  }

  async function loadPoses() {
    const onto = ontoOf(choice.onto);
    showFit(posed, id, onto ? stands() : {}, fit);
    const poses = await posed.poses(id, { skeleton: choice.skeleton, onto, end: 1 });
    if (gone || own) return;
    const time = player.time;
    showPoses(poses);
    viewer.frameAll();
    player.seek(time);
    const messages = (poses.head.warnings ?? []).map((one) => one.message);
    if (!poses.head.skeleton && !messages.length) messages.push("There is no skeleton: each joint is shown separately, in a grid.");
    note.textContent = messages.join(" ");
    note.hidden = !messages.length;
  }

  function showPoses(poses) {
    viewer.setMesh(null);
    viewer.setPoses(poses);
    viewer.showsBones = bonesBox.checked;
    viewer.showsFloor = floorBox.checked;
    jointList.replaceChildren(...options([["", "none"], ...poses.joints.map((_, i) => [i, nameOf(i)])]));
    selectJoint(-1);
  }

  function replacePlayer(next) {
    player.pause();
    player.element.replaceWith(next.element);
    player = next;
  }

  /** Shows a mix, from where it was when it is one already. */
  function showMix(poses, whole) {
    if (gone) return;
    const begins = !own, { time, playing } = player;
    meshLoader?.stop();
    meshList.value = choice.mesh = "";
    meshList.disabled = ontoList.disabled = true;
    bonesBox.checked = true;
    showPoses(poses);
    own ??= player;
    replacePlayer(new Player(viewer, whole));
    if (begins) viewer.frameAll();
    player.seek(begins ? 0 : time);
    if (begins || playing) player.play();
    document.documentElement.dataset.mixed = poses.head.times.length;
  }

  function leaveMix() {
    if (!own) return;
    replacePlayer(own);
    own = null;
    ontoList.disabled = false;
    delete document.documentElement.dataset.mixed;
    reload();
  }

  async function load() {
    const nobody = { items: [], characters: [] };
    const [metadata, events, skeletons, meshes, formats, people] = await Promise.all([
      posed.clip(id), posed.events(id).catch(() => ({ items: [] })), posed.skeletons({ limit: 500 }), posed.meshes({ limit: 500 }), posed.formats(), posed.people().catch(() => nobody)]);
    if (gone) return;
    clip = metadata;
    document.title = `${clip.name} · posed`;
    title.textContent = clip.name;
    player = new Player(viewer, clip, events.items);
    player.time = Number(link.t) || 0;
    player.onTime = remember;
    skeletonList.append(...options([["auto", "Automatic"], ["none", "None"], ...skeletons.items.map((one) => [one.id, `${one.name} (${one.format})`])], choice.skeleton));
    ontoList.append(...options(peopleOptions(people), choice.onto));
    const drawn = meshes.items.filter((mesh) => mesh.face_count > 0);
    const own = drawn.filter((mesh) => mesh.archive === clip.archive);
    meshList.append(...options([["", "None"], ...(own.length ? own : drawn).map((one) => [one.id, one.name])], choice.mesh));
    mixed = mixPanel(posed, clip, {
      show: showMix, leave: leaveMix, options: () => (choice.skeleton === "auto" || choice.skeleton === "none" ? {} : { skeleton: choice.skeleton }),
    });
    below.append(note, player.element,
      el("div", { class: "options", role: "group", "aria-label": "View" }, bones, floor, angles,
        el("label", { class: "field", for: "skeleton" }, "Skeleton", skeletonList),
        el("div", { class: "field" }, el("label", { for: "onto" }, "Play on"), ontoList),
        el("label", { class: "field", for: "mesh" }, "Mesh", meshList),
        el("label", { class: "field", for: "joint" }, "Joint", jointList)),
      mixed.element, fit, plot);
    side.append(...aboutClip(posed, clip, { events: events.items, formats: formats.items }, {
      seek: (t) => { player.pause(); player.seek(t); },
      choose: () => ({ ...choice, onto: ontoOf(choice.onto), time: Number(player.time.toFixed(3)) }),
    }));
    await loadPoses();
    if (gone) return;
    if (choice.mesh || choice.onto) loadMesh();
    if (link.camera) viewer.view = link.camera;
    player.seek(Number(link.t) || 0);
    if (link.t === undefined && !matchMedia("(prefers-reduced-motion: reduce)").matches) player.play();
    viewer.controls.addEventListener("change", remember);
    document.documentElement.dataset.ready = "clip";
  }

  viewer.onHover = (index, event) => {
    tip.hidden = index < 0;
    if (index < 0) return;
    const box = stage.getBoundingClientRect();
    tip.textContent = nameOf(index);
    const x = Math.min(event.clientX - box.left + 12, box.width - tip.offsetWidth - 4);
    const y = Math.min(event.clientY - box.top + 12, box.height - tip.offsetHeight - 4);
    tip.style.transform = `translate(${x}px, ${y}px)`;
  };
  viewer.onSelect = selectJoint;

  function toggleMesh() {
    const first = meshList.options[1]?.value ?? "";
    meshList.value = choice.mesh ? "" : lastMesh ?? first;
    meshList.dispatchEvent(new Event("change"));
  }

  function nextJoint() {
    const { selectedIndex, length } = jointList;
    jointList.selectedIndex = (selectedIndex + 1) % length;
    jointList.dispatchEvent(new Event("change"));
  }

  const actions = {
    b: () => bonesBox.click(), f: () => floorBox.click(), m: toggleMesh, j: nextJoint,
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
    removeEventListener("keydown", onKey);
    meshLoader?.stop();
    player?.pause();
    viewer.dispose();
  };
}
