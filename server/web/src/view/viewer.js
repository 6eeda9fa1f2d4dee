// The 3D view of one clip: a body, its bones, a floor, joint names on hover.
import {
  Box3, Color, Group, InstancedMesh, Matrix4, MeshLambertMaterial, PCFShadowMap, PerspectiveCamera,
  Quaternion, Raycaster, Scene, Spherical, Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { develop, studioLights } from "../../../../api/client/element/light.js";
import { boneGeometry, ROW, shownJoints } from "./bones.js";
import { Floor } from "./floor.js";
import { Ghosts } from "./ghosts.js";

const CELL = 0.2; // height of the grid cell of a joint without hierarchy
const NAME_PIXELS = 130, LINE_PIXELS = 14;
const FRAMES_LOOKED_AT = 48, BODIES_LOOKED_AT = 12;
const SHADOW_PIXELS = 1024;
const SUN = new Vector3(-0.75, 2.6, 1); // from where it shines
const FAR_TRAVEL = 1.5; // of the figure's height: who goes farther is followed
export const ANGLES = { front: [0, 0.12, 1], side: [1, 0.12, 0], "three-quarter": [0.5, 0.22, 0.85], top: [0, 1, 0.001] };
const COLORS = { driven: 0x5b9eff, resting: 0x9aa3b2, selected: 0xffb347 };

export class Viewer {
  constructor(container) {
    this.container = container;
    this.renderer = new WebGLRenderer({ antialias: true, alpha: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.canvas = this.renderer.domElement;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "3D view of the figure");
    this.canvas.tabIndex = 0;
    this.labels = document.createElement("div");
    this.labels.className = "labels";
    this.labels.setAttribute("aria-hidden", "true");
    container.append(this.canvas, this.labels);
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(35, 1, 0.01, 1000);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    develop(this.renderer);
    const [sun, around] = studioLights();
    this.sun = sun;
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.setScalar(SHADOW_PIXELS);
    this.scene.add(this.sun, this.sun.target, around);
    this.floor = new Floor();
    this.scene.add(this.floor.group);
    this.figure = new Group();
    this.scene.add(this.figure);
    this.scene.onBeforeRender = () => this.touchFloor(); // the matrices of the frame are there, its uniforms not yet
    this.hasTree = true;
    this.onHover = () => {};
    this.onSelect = () => {};
    this.onTime = () => {};
    this.follows = false; // whether the camera goes with the figure
    this.middle = new Vector3(); // of the figure, where it was last
    this.scriptMs = 0;
    this.angle = "three-quarter";
    this.resizer = new ResizeObserver(() => this.resize());
    this.resizer.observe(container);
    this.canvas.addEventListener("pointermove", (event) => this.onHover(this.pick(event), event));
    this.canvas.addEventListener("pointerleave", () => this.onHover(-1));
    let pressed = [0, 0];
    this.canvas.addEventListener("pointerdown", (event) => (pressed = [event.clientX, event.clientY]));
    this.canvas.addEventListener("click", (event) => { // a drag does not select
      if (Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) < 5) this.onSelect(this.pick(event));
    });
    this.controls.addEventListener("change", () => this.draw());
    this.controls.addEventListener("start", () => (this.wasTurned = true));
    this.wasTurned = false; // by the user or by a link: then the camera is left alone
    this.resize();
  }

  /** Also releases the WebGL context: browsers allow about 16 and drop the oldest to create another. */
  dispose() {
    this.gone = true;
    this.resizer.disconnect();
    this.controls.dispose();
    this.clear();
    this.floor.dispose();
    this.sun.shadow.map?.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  clear() {
    this.setBody(null);
    this.setGhosts(false);
    if (this.bones) {
      this.figure.remove(this.bones);
      this.bones.geometry.dispose();
      this.bones.material.dispose();
    }
    this.bones = null;
    this.labels.replaceChildren();
  }

  /** Sets the poses of a clip and shows the first. */
  setPoses(poses) {
    this.clear();
    this.poses = poses;
    this.row = new Float32Array(poses.stride);
    this.hasTree = poses.head.skeleton !== null;
    const count = poses.joints.length;
    this.locals = new Float32Array(count * 16);
    this.world = new Float32Array(count * 16);
    this.shown = this.hasTree ? shownJoints(poses.joints) : poses.joints.map(() => true);
    this.boneJoints = [];
    for (let i = 0; i < count; i++)
      if (!this.hasTree || (this.shown[i] && poses.joints[i].parent >= 0 && !this.isSceneRoot(poses.joints[i].parent))) this.boneJoints.push(i);
    const material = new MeshLambertMaterial({ color: 0xffffff, flatShading: true });
    this.bones = new InstancedMesh(boneGeometry(), material, Math.max(1, this.boneJoints.length));
    this.bones.count = this.boneJoints.length;
    this.bones.frustumCulled = false;
    this.bones.castShadow = this.hasTree;
    this.figure.add(this.bones);
    this.height = this.hasTree ? this.heightAt(0) : 1;
    this.select(-1);
    if (!this.hasTree) {
      this.layCells();
      this.makeLabels();
    }
    this.setTime(0);
  }

  /** From the lowest of its joints to the highest. */
  heightAt(t) {
    this.poses.sample(t, this.row);
    this.solve();
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < this.shown.length; i++) {
      if (!this.shown[i]) continue;
      low = Math.min(low, this.world[i * 16 + 13]);
      high = Math.max(high, this.world[i * 16 + 13]);
    }
    return high - low > 1e-6 ? high - low : 1;
  }

  /** Whether the root is only a scene node: at the origin, with a single child far from it. Not drawn as a bone. */
  isSceneRoot(joint) {
    const { joints } = this.poses;
    if (joints[joint].parent >= 0) return false;
    const children = joints.flatMap(({ parent }, i) => (parent === joint && this.shown[i] ? [i] : []));
    const place = (i) => new Vector3().fromArray(this.world, i * 16 + 12);
    this.poses.sample(0, this.row);
    this.solve();
    return children.length === 1 && place(joint).length() < 1e-3 && place(children[0]).length() > 0.3;
  }

  /** The joint at the head of a bone: the bone is named after it and moves with it. */
  headOf(index) {
    return this.hasTree ? this.poses.joints[index].parent : index;
  }

  /** Joints without a hierarchy are shown in a grid with the aspect ratio of the view, each with its name. */
  cell(index) {
    const { columns, rows, width } = this.cells;
    return new Vector3((index % columns - (columns - 1) / 2) * width, ((rows - 1) / 2 - Math.floor(index / columns)) * CELL, 0);
  }

  /** As many columns as the names allow, with cells wide enough for the grid to fill the view. */
  layCells() {
    const { clientWidth: width, clientHeight: height } = this.container;
    const count = Math.max(1, this.poses.joints.length);
    const columns = Math.min(count, Math.max(1, Math.floor(width / NAME_PIXELS), Math.ceil((count * LINE_PIXELS) / Math.max(1, height))));
    const rows = Math.ceil(count / columns);
    this.cells = { columns, rows, width: Math.max(CELL, (rows * CELL * (width / Math.max(1, height))) / columns) };
    this.labels.style.setProperty("--cell", `${Math.floor((width * 0.94) / columns) - 10}px`);
  }

  makeLabels() {
    this.labels.append(...this.poses.joints.map((joint) => {
      const label = document.createElement("span");
      label.textContent = joint.name ?? `#${joint.id}`;
      return label;
    }));
  }

  placeLabels() {
    const { clientWidth: width, clientHeight: height } = this.container;
    this.camera.updateMatrixWorld();
    [...this.labels.children].forEach((label, i) => {
      const place = this.cell(i).project(this.camera);
      label.style.transform = `translate(${((place.x + 1) / 2) * width + 5}px, ${((1 - place.y) / 2) * height - 12}px)`;
    });
  }

  setTime(t) {
    const begin = performance.now();
    this.time = t;
    if (this.poses) {
      this.ghosts?.update(t, this.poses.duration, (mesh, then) => this.pose(mesh, then));
      this.pose(this.bones, t);
      if (this.hasTree) this.floor.touch(this.world, this.shown, this.height);
      if (this.follows) this.follow();
    }
    this.moveBody(t);
    this.onTime(t);
    this.scriptMs = performance.now() - begin;
    this.draw();
  }

  /** A body alone stands on its own bones; the shadow of poses is theirs. */
  touchFloor() {
    if (this.body && !this.poses && this.floor.visible) this.floor.touch(this.body.matrices, this.body.isBone, this.height);
  }

  pose(bones, t) {
    this.poses.sample(t, this.row);
    if (this.hasTree) this.solve();
    this.placeBones(bones);
  }

  /** Shows, or no longer, where the bones are shortly before and after; step: the length of a frame. */
  setGhosts(on, step = 1 / 30) {
    this.ghosts?.dispose();
    this.ghosts = on && this.bones && this.hasTree ? new Ghosts(this.bones, step) : null;
    if (!this.ghosts) return this.draw();
    this.figure.add(...this.ghosts.meshes);
    this.setTime(this.time ?? 0);
  }

  /** The middle of the joints that are shown, as they stand now. */
  middleOf(target) {
    let count = 0;
    target.set(0, 0, 0);
    for (let i = 0; i < this.shown.length; i++) {
      if (!this.shown[i]) continue;
      target.add(FROM.fromArray(this.world, i * 16 + 12));
      count++;
    }
    return count ? target.divideScalar(count) : target;
  }

  /** Takes the camera along by as far as the figure has gone. */
  follow() {
    if (!this.hasTree) return;
    TO.copy(this.middle);
    this.middleOf(this.middle);
    TO.subVectors(this.middle, TO);
    if (!Number.isFinite(TO.x + TO.y + TO.z)) return;
    TO.y = 0;
    this.camera.position.add(TO);
    this.controls.target.add(TO);
    this.lightUp();
  }

  set followsFigure(on) {
    this.follows = on;
    if (!this.poses) return;
    this.middleOf(this.middle);
    if (!this.wasTurned) this.frameAll();
  }

  /** Whether the figure goes so far that it would be small in a picture of its whole way. */
  get travels() {
    if (!this.poses || !this.hasTree) return false;
    const way = new Box3(), size = new Box3(), middle = new Vector3();
    for (let k = 0; k <= 8; k++) {
      this.poses.sample((this.poses.duration * k) / 8, this.row);
      this.solve();
      way.expandByPoint(this.middleOf(middle));
      if (k) continue;
      for (let i = 0; i < this.shown.length; i++) if (this.shown[i]) size.expandByPoint(FROM.fromArray(this.world, i * 16 + 12));
    }
    const { x, z } = way.getSize(middle);
    return Math.hypot(x, z) > FAR_TRAVEL * size.getSize(FROM).y;
  }

  /** Converts local rows to matrices in model space; parents precede their children. */
  solve() {
    const { joints } = this.poses;
    for (let i = 0; i < joints.length; i++) {
      LOCAL.compose(
        POSITION.fromArray(this.row, i * ROW), ROTATION.fromArray(this.row, i * ROW + 3), SCALE.fromArray(this.row, i * ROW + 7));
      if (joints[i].parent >= 0) LOCAL.premultiply(PARENT.fromArray(this.world, joints[i].parent * 16));
      LOCAL.toArray(this.world, i * 16);
    }
  }

  placeBones(bones) {
    for (let k = 0; k < this.boneJoints.length; k++) {
      const i = this.boneJoints[k];
      if (this.hasTree) {
        FROM.fromArray(this.world, this.poses.joints[i].parent * 16 + 12);
        TO.fromArray(this.world, i * 16 + 12).sub(FROM);
      } else {
        FROM.copy(this.cell(i));
        TO.set(0, CELL * 0.7, 0).applyQuaternion(ROTATION.fromArray(this.row, i * ROW + 3));
      }
      const length = TO.length();
      ROTATION.setFromUnitVectors(UP, length > 1e-9 ? TO.divideScalar(length) : UP);
      LOCAL.compose(FROM, ROTATION, SCALE.setScalar(length));
      bones.setMatrixAt(k, LOCAL);
    }
    bones.instanceMatrix.needsUpdate = true;
    bones.boundingSphere = null;
  }

  /** Highlights a joint; -1 for none. */
  select(joint) {
    this.selected = joint;
    const begins = this.boneJoints.some((i) => this.headOf(i) === joint);
    this.boneJoints.forEach((i, k) => {
      const isSelected = (begins ? this.headOf(i) : i) === joint;
      const kind = isSelected ? "selected" : this.poses.joints[this.headOf(i)].driven ? "driven" : "resting";
      this.bones.setColorAt(k, COLOR.set(COLORS[kind]));
    });
    if (this.bones.instanceColor) this.bones.instanceColor.needsUpdate = true;
    this.draw();
  }

  /** The joint under the pointer, or -1; within a body its bones are found as well. */
  pick(event) {
    if (!this.bones || !(this.bones.visible || this.body)) return -1;
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    POINTER.set(((event.clientX - left) / width) * 2 - 1, 1 - ((event.clientY - top) / height) * 2);
    RAYCASTER.setFromCamera(POINTER, this.camera);
    const [hit] = RAYCASTER.intersectObject(this.bones);
    return hit ? this.headOf(this.boneJoints[hit.instanceId]) : -1;
  }

  /** Sets a body (body.js), shown in place of the bones unless these are asked for as well; null: none. */
  setBody(body) {
    if (this.body) {
      this.figure.remove(this.body.scene);
      this.body.dispose();
    }
    this.body = body;
    if (body) {
      this.figure.add(body.scene);
      for (const mesh of body.meshes) mesh.castShadow = true;
      this.moveBody(this.time ?? 0);
      if (!this.poses) this.height = body.height;
      body.isClear = Boolean(this.bones?.visible);
    }
    this.draw();
  }

  /** Takes the body off and returns it, for whoever sets it again. */
  takeBody() {
    const { body } = this;
    if (body) this.figure.remove(body.scene);
    this.body = null;
    return body;
  }

  /** The body as its clip has it at that time, or as the poses that it follows. */
  moveBody(t) {
    if (!this.body?.joints) return this.body?.setTime(t);
    this.poses.sample(t, this.row);
    this.body.setRow(this.row);
  }

  /** All positions in the motion as one list: x, y, z, … */
  places() {
    const places = [];
    if (this.poses && !this.hasTree) {
      for (let i = 0; i < this.poses.joints.length; i++) {
        const { x, y } = this.cell(i);
        places.push(x - CELL, y - CELL * 0.75, 0, x + this.cells.width * 0.9, y + CELL, 0);
      }
      return places;
    }
    for (let k = 0; this.body && k < BODIES_LOOKED_AT; k++) {
      const t = ((this.poses?.duration ?? this.body.duration) * k) / (BODIES_LOOKED_AT - 1), begin = places.length;
      this.moveBody(t);
      this.body.addPlaces(places);
      this.bringBack(t, places, begin);
    }
    const steps = this.poses ? Math.min(this.poses.frameCount, FRAMES_LOOKED_AT) : 0;
    for (let k = 0; k < steps; k++) {
      const t = steps > 1 ? (this.poses.duration * k) / (steps - 1) : 0, begin = places.length;
      this.poses.sample(t, this.row);
      this.solve();
      for (let i = 0; i < this.shown.length; i++)
        if (this.shown[i]) places.push(this.world[i * 16 + 12], this.world[i * 16 + 13], this.world[i * 16 + 14]);
      this.bringBack(t, places, begin);
    }
    return places.every(Number.isFinite) ? places : [];
  }

  /** For a camera that follows, the figure does not go: its places at that time are moved to where it is now. */
  bringBack(t, places, begin) {
    if (!this.follows || !this.poses) return;
    this.poses.sample(t, this.row);
    this.solve();
    const middle = this.middleOf(POSITION);
    for (let i = begin; i < places.length; i += 3) {
      places[i] += this.middle.x - middle.x;
      places[i + 2] += this.middle.z - middle.z;
    }
  }

  /** Moves the camera as close as possible with the whole motion in view. */
  frameAll(angle = this.angle) {
    this.angle = angle;
    this.wasTurned = false;
    if (this.poses && !this.hasTree) this.layCells();
    if (this.follows && this.poses && this.hasTree) {
      this.poses.sample(this.time ?? 0, this.row);
      this.solve();
      this.middleOf(this.middle);
    }
    const places = this.places();
    if (!places.length) return;
    const box = new Box3().setFromArray(places);
    const middle = box.getCenter(new Vector3());
    const size = Math.max(box.getSize(TO).length(), 1e-4);
    const direction = new Vector3(...(this.hasTree ? ANGLES[angle] : [0, 0, 1])).normalize();
    const right = new Vector3().crossVectors(UP, direction).normalize();
    const up = new Vector3().crossVectors(direction, right);
    const high = Math.tan((this.camera.fov / 360) * Math.PI) * 0.9, wide = high * this.camera.aspect;
    let distance = size * 0.3;
    for (let i = 0; i < places.length; i += 3) {
      TO.fromArray(places, i).sub(middle);
      const near = TO.dot(direction);
      distance = Math.max(distance, near + Math.abs(TO.dot(up)) / high, near + Math.abs(TO.dot(right)) / wide);
    }
    this.controls.target.copy(middle);
    this.camera.position.copy(middle).addScaledVector(direction, distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 100 + size * 10;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.layFloor(box, size);
    this.setTime(this.time ?? 0);
  }

  /** Squares of 1, 10, … cm or m, depending on the figure; moved below the motion if that is far from 0. */
  layFloor(box, size) {
    const square = 10 ** Math.round(Math.log10(size / 4));
    const x = (box.min.x + box.max.x) / 2, z = (box.min.z + box.max.z) / 2;
    this.floor.lay(square, x, box.min.y > -size * 0.2 && box.min.y < size ? 0 : box.min.y, z);
    this.floor.visible &&= this.hasTree;
    this.reach = size;
    this.lightUp();
  }

  /** The sun shines on what the camera looks at, from where it always does. */
  lightUp() {
    const { shadow, target, position } = this.sun, reach = this.reach ?? 1;
    target.position.copy(this.controls.target);
    position.copy(target.position).addScaledVector(SUN, reach);
    Object.assign(shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: reach * 0.1, far: reach * 6 });
    shadow.radius = 5;
    shadow.normalBias = reach * 0.01;
    shadow.camera.updateProjectionMatrix();
  }

  /** Orbits around the target, by angles in radians. */
  turn(sideways, upwards) {
    this.wasTurned = true;
    const place = new Spherical().setFromVector3(TO.copy(this.camera.position).sub(this.controls.target));
    place.theta += sideways;
    place.phi = Math.min(Math.max(place.phi - upwards, 0.01), Math.PI - 0.01);
    this.camera.position.setFromSpherical(place).add(this.controls.target);
    this.controls.update();
  }

  /** Zooms in (factor below 1) or out. */
  zoom(by) {
    this.wasTurned = true;
    this.camera.position.sub(this.controls.target).multiplyScalar(by).add(this.controls.target);
    this.controls.update();
  }

  /** The camera as text for a link, and back. */
  get view() {
    return [...this.camera.position.toArray(), ...this.controls.target.toArray()].map((value) => Number(value.toPrecision(6))).join(",");
  }

  set view(text) {
    const values = text.split(",").map(Number);
    if (values.length !== 6 || !values.every(Number.isFinite)) return;
    this.wasTurned = true;
    this.camera.position.fromArray(values);
    this.controls.target.fromArray(values, 3);
    this.controls.update();
    this.draw();
  }

  set showsBones(on) {
    this.bones.visible = on;
    if (this.body) this.body.isClear = on;
    this.draw();
  }

  set showsFloor(on) {
    this.floor.visible = on && this.hasTree;
    this.draw();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.container;
    if (!width || !height) return;
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.poses && !this.hasTree) this.frameAll();
    this.render(); // now: the new size has emptied the canvas, and what is not drawn before the next paint shows
  }

  render() {
    if (this.gone) return;
    if (this.labels.childElementCount) this.placeLabels();
    this.renderer.render(this.scene, this.camera);
  }

  /** Draws at most once per display frame. */
  draw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.render();
    });
  }
}

// Scratch objects, so that drawing a frame allocates nothing.
const LOCAL = new Matrix4(), PARENT = new Matrix4();
const POSITION = new Vector3(), SCALE = new Vector3(), FROM = new Vector3(), TO = new Vector3();
const ROTATION = new Quaternion();
const UP = new Vector3(0, 1, 0);
const COLOR = new Color();
const POINTER = new Vector2();
const RAYCASTER = new Raycaster();
