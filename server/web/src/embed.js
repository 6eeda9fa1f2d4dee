// /embed/{id}: the bare viewer for an <iframe>. #autoplay=0 starts paused, #t=0.5 sets the time.
import { el, failure } from "./dom.js";
import { Player } from "./player.js";
import { Viewer } from "./viewer.js";

export function showEmbed(posed, content, id) {
  const stage = document.createElement("div");
  stage.className = "stage";
  const title = el("h1", { class: "visually-hidden" }, "Animation");
  content.append(title, stage);
  const viewer = new Viewer(stage);
  let player;
  const options = new URLSearchParams(location.hash.slice(1));

  async function load() {
    const [clip, poses] = await Promise.all([posed.clip(id), posed.poses(id, { end: 1 })]);
    document.title = `${clip.name} · posed`;
    title.textContent = clip.name;
    viewer.setPoses(poses);
    viewer.frameAll();
    player = new Player(viewer, clip);
    content.append(player.element);
    player.seek(Number(options.get("t")) || 0);
    if (options.get("autoplay") !== "0" && !matchMedia("(prefers-reduced-motion: reduce)").matches) player.play();
    document.documentElement.dataset.ready = "embed";
  }

  load().catch((error) => content.replaceChildren(title, failure(error)));
  return () => {
    player?.pause();
    viewer.dispose();
  };
}
