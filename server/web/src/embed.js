// /embed/{id}: one clip that fills an <iframe>. ?character=, onto= and background= as of <posed-clip>; #autoplay=0 starts
// paused, #t=0.5 sets the time. The page around it controls it by messages: {posed: "play" | "pause" | "seek", t}, and is
// told {posed: "ready" | "time" | "error", …}.
import "./embed.css";
import "../../../api/client/element/element.js";

const query = new URLSearchParams(location.search), start = new URLSearchParams(location.hash.slice(1));
const clip = document.createElement("posed-clip");
const tell = (message) => parent !== window && parent.postMessage(message, "*");
const done = () => (document.documentElement.dataset.ready = "embed");

const COMMANDS = {
  play: () => clip.play(),
  pause: () => clip.pause(),
  seek: (t) => { clip.pause(); clip.currentTime = t; },
};

addEventListener("message", ({ data }) => {
  if (data && Object.hasOwn(COMMANDS, data.posed)) COMMANDS[data.posed](Number(data.t) || 0);
});

clip.addEventListener("ready", ({ detail }) => {
  const { name, duration, loop } = detail.clip;
  document.title = `${name} · posed`;
  document.querySelector("h1").textContent = name;
  clip.loop = loop !== false;
  done();
  tell({ posed: "ready", name, duration });
});
clip.addEventListener("time", ({ detail }) => tell({ posed: "time", t: detail.time, duration: detail.duration }));
clip.addEventListener("error", ({ detail }) => {
  done();
  tell({ posed: "error", message: detail.message });
});

for (const name of ["character", "onto", "background"]) if (query.has(name)) clip.setAttribute(name, query.get(name));
if (query.get("background") === "transparent") document.body.classList.add("clear");
clip.controls = true;
clip.autoplay = start.get("autoplay") !== "0";
clip.currentTime = Number(start.get("t")) || 0;
clip.src = location.pathname + (query.has("archive") ? `?archive=${query.get("archive")}` : "");
document.getElementById("content").append(clip);
