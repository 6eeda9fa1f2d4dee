/**
 * Plays poses on a three.js skeleton, without importing three.js: bones are found by the names that its loaders give
 * them, and get position, quaternion and scale.
 *
 *     const driver = new PoseDriver(poses, gltf.scene);
 *     driver.apply(time);   // every frame
 */

/** As three.js rewrites node names (PropertyBinding.sanitizeNodeName): blanks become "_", what its paths use goes. */
export function threeName(name) {
  return name.replace(/\s/g, "_").replace(/[[\].:/]/g, "");
}

export class PoseDriver {
  /**
   * @param {import("./posed.js").Poses} poses of space "local"
   * @param {object} root an Object3D whose descendants (and itself) are driven
   */
  constructor(poses, root) {
    if (poses.width !== 10) throw new TypeError("a driver needs poses of space=local");
    this.poses = poses;
    this.row = new Float32Array(poses.stride);
    const byName = new Map();
    root.traverse((object) => {
      if (!byName.has(object.name)) byName.set(object.name, object);
    });
    /** The object of each joint, null where the tree has none. */
    this.objects = poses.joints.map((joint) => {
      const name = joint.name ?? `joint_${joint.id}`;
      return byName.get(name) ?? byName.get(threeName(name)) ?? null;
    });
  }

  /** Names of joints that the tree lacks. */
  get missing() {
    return this.poses.joints.filter((_, i) => !this.objects[i]).map((joint) => joint.name ?? `joint_${joint.id}`);
  }

  /** The pose at t seconds; in a loop give t modulo poses.duration. */
  apply(t) {
    const row = this.poses.sample(t, this.row);
    for (let i = 0; i < this.objects.length; i++) {
      const object = this.objects[i];
      if (!object) continue;
      const at = i * 10;
      object.position.set(row[at], row[at + 1], row[at + 2]);
      object.quaternion.set(row[at + 3], row[at + 4], row[at + 5], row[at + 6]);
      object.scale.set(row[at + 7], row[at + 8], row[at + 9]);
    }
  }
}

const PARTS = [["position", 0, 3, "VectorKeyframeTrack"], ["quaternion", 3, 4, "QuaternionKeyframeTrack"], ["scale", 7, 3, "VectorKeyframeTrack"]];

/** Some floats of each frame, one after another. */
function column(poses, at, size) {
  const values = new Float32Array(poses.frameCount * size);
  for (let i = 0; i < poses.frameCount; i++) values.set(poses.floats.subarray(i * poses.stride + at, i * poses.stride + at + size), i * size);
  return values;
}

/**
 * An AnimationClip of the joints that the clip moves, for an AnimationMixer on any figure whose bones have their names.
 * @param THREE what has AnimationClip, VectorKeyframeTrack and QuaternionKeyframeTrack: import * as THREE from "three"
 * @param options {name, all}: all: the joints that stand still too
 */
export function animationClip(THREE, poses, { name = "clip", all = false } = {}) {
  if (poses.width !== 10) throw new TypeError("an AnimationClip needs poses of space=local");
  const times = Float32Array.from(poses.times);
  const tracks = poses.joints.flatMap((joint, i) => (joint.driven || all ? PARTS.map(([part, at, size, kind]) =>
    new THREE[kind](`${threeName(joint.name ?? `joint_${joint.id}`)}.${part}`, times, column(poses, i * 10 + at, size))) : []));
  return new THREE.AnimationClip(name, poses.duration, tracks);
}

/**
 * A clip on its body, ready to be added to a scene: {scene, animations, …}, as the loader gives it.
 * @param loader a GLTFLoader
 * @param options of convertURL ({mesh, onto, skeleton}), or {character: ID}
 */
export async function loadFigure(loader, posed, clip, { character, ...options } = {}, init) {
  const url = character ? posed.characterURL(character, { clips: clip, ...options }) : posed.convertURL(clip, "glb", { mesh: "auto", ...options });
  const response = await posed.request(url.slice(posed.base.length), init);
  return loader.parseAsync(await response.arrayBuffer(), "");
}
