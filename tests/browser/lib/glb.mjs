// A figure as a GLB: a tube skinned to a chain of joints, all of which turn at every frame.
const FLOAT = 5126, SHORT = 5123, WORD = 5125, ARRAY = 34962, INDEX = 34963;
const AROUND = 32; // vertices of a ring
const HEIGHT = 1.8, RADIUS = 0.2, SWAY = 0.01; // m, m, radians

/** Buffer views and accessors over one list of typed arrays. */
class Parts {
  constructor() {
    Object.assign(this, { views: [], accessors: [], bytes: [], size: 0 });
  }

  add(array, componentType, type, count, extra = {}, target) {
    const data = Buffer.from(array.buffer);
    this.views.push({ buffer: 0, byteOffset: this.size, byteLength: data.length, ...(target ? { target } : {}) });
    this.bytes.push(data, Buffer.alloc(-data.length & 3));
    this.size += data.length + (-data.length & 3);
    return this.accessors.push({ bufferView: this.views.length - 1, componentType, type, count, ...extra }) - 1;
  }
}

function addTube(parts, joints, rings) {
  const count = rings * AROUND;
  const positions = new Float32Array(count * 3), normals = new Float32Array(count * 3);
  const bones = new Uint16Array(count * 4), weights = new Float32Array(count * 4);
  const faces = [];
  for (let i = 0; i < count; i++) {
    const ring = Math.floor(i / AROUND), angle = ((i % AROUND) / AROUND) * 2 * Math.PI, along = (ring / (rings - 1)) * (joints - 1);
    const [x, z] = [Math.cos(angle), Math.sin(angle)], bone = Math.min(Math.floor(along), joints - 2);
    positions.set([x * RADIUS, (ring / (rings - 1)) * HEIGHT, z * RADIUS], i * 3);
    normals.set([x, 0, z], i * 3);
    bones.set([bone, bone + 1, Math.max(bone - 1, 0), 0], i * 4);
    weights.set([0.9 - 0.8 * (along - bone), 0.8 * (along - bone), 0.1, 0], i * 4);
    const next = i % AROUND === AROUND - 1 ? i + 1 - AROUND : i + 1;
    if (ring < rings - 1) faces.push(i, i + AROUND, next, next, i + AROUND, next + AROUND);
  }
  return { indices: parts.add(new Uint32Array(faces), WORD, "SCALAR", faces.length, {}, INDEX), material: 0, attributes: {
    POSITION: parts.add(positions, FLOAT, "VEC3", count, { min: [-RADIUS, 0, -RADIUS], max: [RADIUS, HEIGHT, RADIUS] }, ARRAY),
    NORMAL: parts.add(normals, FLOAT, "VEC3", count, {}, ARRAY),
    JOINTS_0: parts.add(bones, SHORT, "VEC4", count, {}, ARRAY),
    WEIGHTS_0: parts.add(weights, FLOAT, "VEC4", count, {}, ARRAY) } };
}

function addMotion(parts, joints, frames, fps) {
  const times = Float32Array.from({ length: frames }, (_, i) => i / fps);
  const input = parts.add(times, FLOAT, "SCALAR", frames, { min: [0], max: [times.at(-1)] });
  const animation = { name: "sway", samplers: [], channels: [] };
  for (let node = 0; node < joints; node++) {
    const rotations = Float32Array.from({ length: frames * 4 }, (_, i) => {
      const half = (SWAY * Math.sin((i >> 2) / 9 + node / 7)) / 2;
      return [Math.sin(half), 0, 0, Math.cos(half)][i & 3];
    });
    animation.channels.push({ sampler: animation.samplers.length, target: { node, path: "rotation" } });
    animation.samplers.push({ input, output: parts.add(rotations, FLOAT, "VEC4", frames) });
  }
  return animation;
}

/** The bytes of a GLB with that many joints and at least that many triangles. */
export function glbFigure({ joints, triangles, seconds, fps }) {
  const parts = new Parts(), rings = Math.ceil(triangles / (2 * AROUND)) + 1, step = HEIGHT / (joints - 1);
  const primitive = addTube(parts, joints, rings), animation = addMotion(parts, joints, Math.round(seconds * fps) + 1, fps);
  const inverse = Float32Array.from({ length: joints * 16 }, (_, i) => (i % 16 === 13 ? -step * Math.floor(i / 16) : i % 16 % 5 ? 0 : 1));
  const nodes = Array.from({ length: joints }, (_, i) => ({ name: `joint-${i}`, translation: [0, i ? step : 0, 0], ...(i < joints - 1 ? { children: [i + 1] } : {}) }));
  const json = {
    asset: { version: "2.0" }, scene: 0, scenes: [{ nodes: [0, joints] }],
    nodes: [...nodes, { name: "tube", mesh: 0, skin: 0 }],
    meshes: [{ primitives: [primitive] }], materials: [{ pbrMetallicRoughness: { metallicFactor: 0 } }], animations: [animation],
    skins: [{ joints: nodes.map((_, i) => i), inverseBindMatrices: parts.add(inverse, FLOAT, "MAT4", joints) }],
    accessors: parts.accessors, bufferViews: parts.views, buffers: [{ byteLength: parts.size }],
  };
  const text = Buffer.from(JSON.stringify(json)), body = Buffer.concat(parts.bytes);
  const head = Buffer.concat([text, Buffer.alloc(-text.length & 3, " ")]), word = (...values) => Buffer.from(Uint32Array.from(values).buffer);
  return Buffer.concat([word(0x46546c67, 2, 28 + head.length + body.length), word(head.length, 0x4e4f534a), head, word(body.length, 0x004e4942), body]);
}
