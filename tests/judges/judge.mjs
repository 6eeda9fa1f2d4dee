// judge.mjs DIR: what others say of the files that posed-glb-dump wrote there. gltf-validator must find no error and no
// warning; three.js must load each, and its AnimationMixer must put every joint where the sampler does at each time, within
// 1e-4 m and 1e-4 rad, and what single precision costs along a chain of joints far from the origin.
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import validator from 'gltf-validator'
import * as THREE from 'three'
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js'

const METRES = 1e-4
const RADIANS = 1e-4
const SINGLE = 2e-6 // of the distance from the origin: a BVH in centimetres is a figure of 170 m

// Pictures need a browser; here an empty one stands for each.
globalThis.self = globalThis
globalThis.createImageBitmap = async () => ({ width: 1, height: 1, close() {} })
THREE.ImageBitmapLoader.prototype.load = function (url, done) { done({ width: 1, height: 1, close() {} }) }
THREE.TextureLoader.prototype.load = function (url, done) { done(new THREE.Texture()) }

async function validate(bytes) {
  const report = await validator.validateBytes(new Uint8Array(bytes), { maxIssues: 20 })
  return report.issues.messages.filter((m) => m.severity <= 1)
    .map((m) => `${m.severity ? 'warning' : 'error'} ${m.code} at ${m.pointer}: ${m.message}`)
}

const load = (bytes) => new Promise((done, fail) =>
  new GLTFLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), '', done, fail))

// The angle between two vectors that should point the same way; 0 when one has no length.
function angle(ax, ay, az, bx, by, bz) {
  const a = Math.hypot(ax, ay, az), b = Math.hypot(bx, by, bz)
  if (a < 1e-6 || b < 1e-6) return 0
  return 2 * Math.asin(Math.min(1, Math.hypot(ax / a - bx / b, ay / a - by / b, az / a - bz / b) / 2))
}

function compare(found, wanted, at) {
  const metres = Math.hypot(found[12] - wanted[at + 12], found[13] - wanted[at + 13], found[14] - wanted[at + 14])
  let radians = 0
  for (let c = 0; c < 12; c += 4)
    radians = Math.max(radians, angle(found[c], found[c + 1], found[c + 2], wanted[at + c], wanted[at + c + 1], wanted[at + c + 2]))
  return [metres, radians]
}

// The objects of the nodes, by their number.
function nodesOf(gltf) {
  const nodes = []
  for (const [object, reference] of gltf.parser.associations)
    if (object.isObject3D && reference?.nodes !== undefined && !(object.isMesh && object.parent?.isGroup && nodes[reference.nodes])) nodes[reference.nodes] = object
  return nodes
}

function follow(gltf, about, wanted) {
  const problems = [], nodes = nodesOf(gltf), joints = about.joints
  let metres = 0, radians = 0
  joints.forEach((name, i) => {
    const { name: called, extras } = gltf.parser.json.nodes[i], meant = extras?.posed?.name ?? called
    if (meant !== name.toWellFormed?.() && meant !== name)
      problems.push(`node ${i} is called ${called} in place of ${name}`)
  })
  // Clips fit another copy of the file by name: three.js must rename none of the nodes.
  gltf.parser.json.nodes.forEach((node, i) => {
    const spelled = THREE.PropertyBinding.sanitizeNodeName(node.name)
    if (nodes[i] && nodes[i].name !== spelled)
      problems.push(`three.js calls node ${i} ${nodes[i].name} in place of ${spelled}`)
  })
  if (!gltf.animations.length) return { problems: about.keys ? ['no animation'] : [], metres, radians }
  const long = gltf.animations[0].duration
  if (Math.abs(long - about.duration) > 1e-5 * Math.max(1, about.duration))
    problems.push(`${long} seconds in place of ${about.duration}`)
  const mixer = new THREE.AnimationMixer(gltf.scene)
  const action = mixer.clipAction(gltf.animations[0])
  action.setLoop(THREE.LoopOnce)
  action.clampWhenFinished = true
  action.play()
  about.times.forEach((t, k) => {
    mixer.setTime(t)
    gltf.scene.updateMatrixWorld(true)
    joints.forEach((name, i) => {
      const [m, r] = compare(nodes[i].matrixWorld.elements, wanted, (k * joints.length + i) * 16)
      const [x, y, z] = nodes[i].matrixWorld.elements.slice(12)
      if (m > METRES + SINGLE * Math.hypot(x, y, z) || r > RADIANS || !(m >= 0)) problems.push(`${name} at ${t}: off by ${m} m, ${r} rad`)
      metres = Math.max(metres, m)
      radians = Math.max(radians, r)
    })
  })
  return { problems, metres, radians }
}

const folder = process.argv[2]
let failed = 0, metres = 0, radians = 0, count = 0
for (const name of readdirSync(folder).filter((n) => n.endsWith('.glb')).sort()) {
  const stem = join(folder, name.slice(0, -4))
  const bytes = readFileSync(stem + '.glb'), about = JSON.parse(readFileSync(stem + '.json'))
  const raw = readFileSync(stem + '.f32')
  const wanted = new Float32Array(raw.buffer.slice(raw.byteOffset, raw.byteOffset + raw.byteLength))
  let problems = await validate(bytes)
  try {
    const result = follow(await load(bytes), about, wanted)
    problems = problems.concat(result.problems)
    metres = Math.max(metres, result.metres)
    radians = Math.max(radians, result.radians)
  } catch (error) {
    problems.push(`three.js: ${error.stack}`)
  }
  count++
  if (!problems.length) continue
  failed++
  if (failed <= 20) console.log(`${name} (${about.source}, ${about.skeleton ? 'on a skeleton' : 'alone'}): ` +
    `${problems.length} problems\n  ${problems.slice(0, 4).join('\n  ')}`)
}
console.log(`${count} files, ${failed} with problems; at most ${metres.toExponential(2)} m and ` +
  `${radians.toExponential(2)} rad off`)
process.exit(failed || !count ? 1 : 0)
