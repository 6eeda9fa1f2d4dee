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
