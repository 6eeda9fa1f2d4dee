// A body: a GLB with skin, textures and motion, moved on the GPU.
import { AnimationMixer, Vector3 } from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { ROW } from "./bones.js";

const VERTICES_LOOKED_AT = 200;
const INFLUENCES = 4; // bones of a vertex

/** The bones that some skin hangs on: others may be anywhere. */
function bonesOf(meshes) {
  const bones = new Set();
  for (const { skeleton, geometry: { attributes: { skinIndex, skinWeight } } } of meshes) {
    for (let i = 0; skeleton && i < skinIndex.count; i++)
      for (let k = 0; k < INFLUENCES; k++) if (skinWeight.getComponent(i, k) > 0) bones.add(skeleton.bones[skinIndex.getComponent(i, k)]);
  }
  return [...bones];
}

export class Body {
  /** One request: the GLB of a clip or of a character with a clip. */
  static async load(posed, path, init) {
    const response = await posed.request(path, init);
    return new Body(await new GLTFLoader().parseAsync(await response.arrayBuffer(), ""));
  }

  constructor({ scene, animations, parser }) {
    this.scene = scene;
    this.meshes = [];
    this.nodes = new Map(); // by the names in the file, which the loader has changed
    for (const [object, { nodes }] of parser.associations)
      if (object.isObject3D && nodes !== undefined) this.nodes.set(parser.json.nodes[nodes].name, object);
    scene.traverse((object) => {
      if (!object.isMesh) return;
      object.frustumCulled = false; // its box is that of the rest pose
      this.meshes.push(object);
    });
    this.bones = bonesOf(this.meshes);
    this.isBone = this.bones.map(() => true);
    this.world = new Float32Array(this.bones.length * 16);
    this.duration = animations[0]?.duration ?? 0;
    this.mixer = new AnimationMixer(scene);
    this.action = animations.length ? this.mixer.clipAction(animations[0]) : null;
    this.action?.play();
    this.setTime(0);
  }

  /** Whether there is nothing to see: the clip has only bones. */
  get isEmpty() {
    return !this.meshes.length;
  }

  setTime(t) {
    if (!this.action) return;
    this.action.time = Math.min(Math.max(t, 0), this.duration);
    this.mixer.update(0);
  }

  /** From now on it stands as rows of these joints say (setRow), not as in its own clip. */
  follow(joints) {
    this.joints = joints.map(({ name, id }) => this.nodes.get(name ?? `joint_${id}`));
  }

  /** Translation, rotation and scale of each joint that it follows. */
  setRow(row) {
    this.joints.forEach((node, i) => {
      if (!node) return;
      node.position.fromArray(row, i * ROW);
      node.quaternion.fromArray(row, i * ROW + 3);
      node.scale.fromArray(row, i * ROW + 7);
    });
  }

  /** The matrices of its bones, as of the frame that is being drawn. */
  get matrices() {
    this.bones.forEach((bone, i) => bone.matrixWorld.toArray(this.world, i * 16));
    return this.world;
  }

  /** From its lowest vertex to its highest, now. */
  get height() {
    const places = [];
    this.addPlaces(places);
    let low = Infinity, high = -Infinity;
    for (let i = 1; i < places.length; i += 3) [low, high] = [Math.min(low, places[i]), Math.max(high, places[i])];
    return high - low > 1e-6 ? high - low : 1;
  }

  /** Where some of its vertices are now, added to a list of numbers. */
  addPlaces(places) {
    const place = new Vector3();
    this.scene.updateMatrixWorld(true);
    for (const mesh of this.meshes) {
      const { count } = mesh.geometry.attributes.position;
      for (let i = 0; i < count; i += Math.ceil(count / VERTICES_LOOKED_AT)) {
        mesh.getVertexPosition(i, place).applyMatrix4(mesh.matrixWorld);
        places.push(place.x, place.y, place.z);
      }
    }
  }

  /** Seen through, so that the bones inside show. */
  set isClear(on) {
    for (const { material } of this.meshes) {
      material.userData.opaque ??= { transparent: material.transparent, opacity: material.opacity };
      Object.assign(material, on ? { transparent: true, opacity: 0.5 } : material.userData.opaque, { needsUpdate: true });
    }
  }

  dispose() {
    this.mixer.stopAllAction();
    for (const { geometry, material, skeleton } of this.meshes) {
      geometry.dispose();
      skeleton?.dispose();
      for (const value of Object.values(material)) {
        if (!value?.isTexture) continue;
        value.source.data?.close?.();
        value.dispose();
      }
      material.dispose();
    }
  }
}
