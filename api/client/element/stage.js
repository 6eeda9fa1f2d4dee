/**
 * Draws every figure of a page with one WebGL context: a page may have about sixteen. Each view has a canvas of its own
 * that the picture is copied to, and is drawn when it is seen and something has changed.
 */
import { PerspectiveCamera, Scene, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Figure } from "./figure.js";
import { Floor } from "./floor.js";
import { develop, studioLights } from "./light.js";

const MAX_RATIO = 2;
const LONGEST_STEP_S = 0.25; // a page that was away goes on from where it was

const views = new Set();
let renderer, pending = 0, last;

function rendererFor(width, height) {
  if (!renderer) develop((renderer = new WebGLRenderer({ antialias: true, alpha: true })));
  const { domElement: { width: w, height: h } } = renderer;
  if (w < width || h < height) renderer.setSize(Math.max(w, width), Math.max(h, height), false);
  renderer.setViewport(0, 0, width, height);
  renderer.setScissor(0, 0, width, height);
  renderer.setScissorTest(true);
  return renderer;
}

function frame(now) {
  pending = 0;
  const passed = last === undefined ? 0 : Math.min((now - last) / 1000, LONGEST_STEP_S);
  last = now;
  let goesOn = false;
  for (const view of views) if (view.isSeen && view.draw(passed)) goesOn = true;
  if (goesOn) schedule();
  else last = undefined;
}

function schedule() {
  pending ||= requestAnimationFrame(frame);
}

export class View {
  /** The figure in the bytes of a GLB. player: {isPaused(), advance(passed)}, which returns the time to draw. */
  static async of(bytes, canvas, player) {
    return new View(await Figure.of(bytes), canvas, player);
  }

  constructor(figure, canvas, player) {
    Object.assign(this, { figure, canvas, player, isSeen: false, isChanged: true, onDrawn: () => {} });
    this.context = canvas.getContext("2d");
    this.camera = new PerspectiveCamera(30, 1, 0.01, 100);
    this.scene = new Scene();
    const [sun, around] = studioLights();
    sun.position.set(-1.2, 2, 1.7);
    this.floor = new Floor(figure);
    this.scene.add(sun, around, figure.root, this.floor.mesh);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableZoom = this.controls.enablePan = false;
    this.controls.addEventListener("change", () => this.request());
    this.controls.addEventListener("start", () => (this.isTurned = true));
    canvas.style.touchAction = "pan-y"; // a finger that moves up and down scrolls the page
    views.add(this);
  }

  request() {
    this.isChanged = true;
    if (this.isSeen) schedule();
  }

  /** Returns whether it wants to be drawn again. */
  draw(passed) {
    const time = this.player.advance(passed);
    if ((time !== this.time || this.isChanged) && this.resize()) {
      this.isChanged = false;
      this.time = time;
      this.figure.setTime(time);
      this.follow();
      this.paint();
      this.onDrawn();
    }
    return !this.player.isPaused();
  }

  /** False if there is no room. */
  resize() {
    const ratio = Math.min(devicePixelRatio, MAX_RATIO), { canvas, camera } = this;
    const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
    if (!width || !height) return false;
    // A canvas keeps its size when another figure comes, which wants a camera of its own.
    if (canvas.width === width && canvas.height === height && this.isFramed) return true;
    this.isFramed = true;
    canvas.width = width;
    canvas.height = height;
    camera.aspect = width / height;
    camera.updateProjectionMatrix();
    if (!this.isTurned) this.figure.frame(camera, this.controls);
    return true;
  }

  /** Keeps a figure that travels in the middle. */
  follow() {
    const { x, z } = this.figure.centre, { target } = this.controls;
    this.camera.position.x += x - target.x;
    this.camera.position.z += z - target.z;
    target.x = x;
    target.z = z;
    this.camera.lookAt(target);
    this.floor.follow(this.figure.ground);
  }

  paint() {
    const { width, height } = this.canvas, drawn = rendererFor(width, height);
    drawn.clear();
    drawn.render(this.scene, this.camera);
    this.context.clearRect(0, 0, width, height);
    this.context.drawImage(drawn.domElement, 0, drawn.domElement.height - height, width, height, 0, 0, width, height);
  }

  dispose() {
    views.delete(this);
    this.controls.dispose();
    this.figure.dispose();
    this.floor.dispose();
    this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
  }
}
