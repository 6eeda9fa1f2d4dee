// The form of a bone, and which joints have one.
import { BufferAttribute, BufferGeometry } from "three";

/** Numbers of a joint in a row of poses: translation, rotation, scale. */
export const ROW = 10;

/** A bone of length 1 along +Y: an eight-sided spindle, thickest near its base. */
export function boneGeometry() {
  const width = 0.085, middle = 0.14;
  const ring = [[width, middle, 0], [0, middle, -width], [-width, middle, 0], [0, middle, width]];
  const points = [];
  for (let i = 0; i < 4; i++) {
    const a = ring[i], b = ring[(i + 1) % 4];
    points.push(...a, ...b, 0, 1, 0, ...b, ...a, 0, 0, 0);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
  geometry.computeVertexNormals();
  return geometry;
}

/** The joints to show: those that the clip animates and their ancestors, or all if it animates none. */
export function shownJoints(joints) {
  const shown = joints.map((joint) => joint.driven);
  for (let i = joints.length - 1; i >= 0; i--) if (shown[i] && joints[i].parent >= 0) shown[joints[i].parent] = true;
  return withoutControls(joints, shown.some(Boolean) ? shown : joints.map(() => true));
}

/** Joints of rigs that are not part of the figure: IK targets, controls, slots. */
const CONTROL = /ik[ _-]?(target|handle|goal|pole)|pole[ _-]?(target|vector)|^ik[ _-]|[ _-]ik$|exportpole|slot|ctrl|control|^target|[ _-]target/i;

/** Whether the file's skins say which joints the figure consists of. They do not where most of what moves is in none. */
function hasSkins(joints, shown) {
  const count = (keep) => joints.filter((joint, i) => shown[i] && keep(joint)).length;
  const skinned = count((joint) => joint.skinned);
  return skinned > 0 && skinned >= Math.floor(count((joint) => !CONTROL.test(joint.name ?? "")) / 2);
}

/** The same list without what is in no skin or, where skins do not say, without controls; unchanged if nothing else would
 * be left. As the pictures do it. */
function withoutControls(joints, shown) {
  if (hasSkins(joints, shown)) return shown.map((on, i) => on && joints[i].skinned);
  const body = shown.map((on, i) => on && !CONTROL.test(joints[i].name ?? ""));
  for (let i = joints.length - 1; i >= 0; i--) if (body[i] && joints[i].parent >= 0) body[joints[i].parent] = shown[joints[i].parent];
  return body.some(Boolean) ? body : shown;
}
