/** A GLB that moves: where it is at each time, and how a camera sees all of its motion. */
import { AnimationMixer, Box3, Vector3 } from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";

const TIMES = 24, VERTICES = 300; // looked at, for the frame of the picture
const TRAVELS = 0.6; // heights, from which the camera goes along
const DIRECTION = new Vector3(0.5, 0.22, 0.85).normalize();
const FILLED = 0.86;

export class Figure {
  static async of(bytes) {
    return new Figure(await new GLTFLoader().parseAsync(bytes, ""));
  }

  constructor(gltf) {
    this.root = gltf.scene;
    this.meshes = [];
    this.root.traverse((object) => {
      object.frustumCulled = false;
      if (object.isMesh) this.meshes.push(object);
    });
    const [motion] = gltf.animations;
    this.mixer = new AnimationMixer(this.root);
    this.action = motion ? this.mixer.clipAction(motion).play() : null;
    this.duration = motion?.duration ?? 0;
    this.centre = new Vector3();
    this.ground = new Vector3();
    this.measure();
  }

  setTime(t) {
    if (this.action) {
      this.action.time = Math.min(t, this.duration);
      this.mixer.update(0);
    }
    this.place(t);
  }

  /** Where the figure is at t: the camera's middle, and the place of its shadow. */
  place(t) {
    const last = this.centres.length - 1, at = this.duration ? Math.min(t / this.duration, 1) * last : 0;
    const from = Math.floor(at);
    this.ground.lerpVectors(this.centres[from], this.centres[Math.min(from + 1, last)], at - from);
    this.centre.copy(this.travels ? this.ground : this.middle);
  }

  /** Boxes and points at several times, from some of the vertices. */
  measure() {
    this.points = [];
    this.centres = [];
    this.box = new Box3();
    const stages = [], count = this.duration ? TIMES : 1, tall = new Vector3();
    this.height = 0;
    for (let k = 0; k < count; k++) {
      if (this.action) this.action.time = (this.duration * k) / Math.max(count - 1, 1);
      this.mixer.update(0);
      this.root.updateMatrixWorld(true);
      const points = this.vertices(), box = new Box3().setFromPoints(points);
      stages.push(points);
      this.box.union(box);
      this.height = Math.max(this.height, box.getSize(tall).y, 1e-3);
      this.centres.push(box.isEmpty() ? new Vector3() : box.getCenter(new Vector3()).setY(0));
    }
    this.middle = this.box.isEmpty() ? new Vector3() : this.box.getCenter(new Vector3()).setY(0);
    this.travels = this.centres.some((one) => one.distanceTo(this.centres[0]) > TRAVELS * this.height);
    stages.forEach((points, k) => points.forEach((point) => this.points.push(point.sub(this.travels ? this.centres[k] : this.middle))));
  }

  vertices() {
    const points = [];
    for (const mesh of this.meshes) {
      const { count } = mesh.geometry.attributes.position, step = Math.max(1, Math.floor(count / VERTICES));
      for (let i = 0; i < count; i += step) points.push(mesh.getVertexPosition(i, new Vector3()).applyMatrix4(mesh.matrixWorld));
    }
    return points.filter((point) => Number.isFinite(point.x + point.y + point.z));
  }

  get floorHeight() {
    const { min } = this.box;
    return Math.abs(min.y) < this.height * 0.3 || !Number.isFinite(min.y) ? 0 : min.y;
  }

  /** Puts the camera as near as shows all of the motion. */
  frame(camera, controls) {
    const { min, max } = this.box, y = this.box.isEmpty() ? 0 : (min.y + max.y) / 2;
    const right = new Vector3(0, 1, 0).cross(DIRECTION).normalize(), up = new Vector3().crossVectors(DIRECTION, right);
    const high = Math.tan((camera.fov / 360) * Math.PI) * FILLED, wide = high * camera.aspect;
    let distance = this.height * 0.3;
    const from = new Vector3();
    for (const point of this.points) {
      from.copy(point).setY(point.y - y);
      distance = Math.max(distance, from.dot(DIRECTION) + Math.max(Math.abs(from.dot(up)) / high, Math.abs(from.dot(right)) / wide));
    }
    controls.target.copy(this.centre).setY(y);
    camera.position.copy(controls.target).addScaledVector(DIRECTION, distance);
    camera.near = distance / 100;
    camera.far = distance * 20 + this.height * 20;
    camera.updateProjectionMatrix();
    controls.update();
  }

  dispose() {
    this.mixer.stopAllAction();
    for (const mesh of this.meshes) {
      mesh.geometry.dispose();
      mesh.skeleton?.dispose();
      for (const material of [mesh.material].flat()) {
        for (const value of Object.values(material)) if (value?.isTexture) value.dispose();
        material.dispose();
      }
    }
  }
}
