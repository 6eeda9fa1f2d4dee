// characters.mjs ORIGIN: every character of the daemon there as GLB with a clip. gltf-validator must find no error and no
// warning, and at random times three.js must put every vertex where …/vertices says, within 1e-4 m.
import validator from 'gltf-validator'
import * as THREE from 'three'
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js'

const METRES = 1e-4
const TIMES = 20

// Pictures need a browser; here an empty one stands for each.
globalThis.self = globalThis
globalThis.createImageBitmap = async () => ({ width: 1, height: 1, close() {} })
THREE.ImageBitmapLoader.prototype.load = function (url, done) { done({ width: 1, height: 1, close() {} }) }
THREE.TextureLoader.prototype.load = function (url, done) { done(new THREE.Texture()) }

const origin = process.argv[2]

async function get(path) {
  const reply = await fetch(origin + path)
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
  return reply
}

async function all(path) {
  const items = []
  for (let next = path; next;) {
    const page = await (await get(next)).json()
    items.push(...page.items)
    next = page.next
  }
  return items
}

// The same times in every run.
let seed = 1
function random() {
  seed = seed * 16807 % 2147483647
  return seed / 2147483647
}

async function validate(bytes) {
  const report = await validator.validateBytes(bytes, { maxIssues: 20 })
  return report.issues.messages.filter((m) => m.severity <= 1)
    .map((m) => `${m.severity ? 'warning' : 'error'} ${m.code} at ${m.pointer}: ${m.message}`)
}

// The first primitive of each mesh, by its number: the vertices of a mesh are shared by its primitives.
function meshesOf(gltf) {
  const meshes = []
  for (const [object, reference] of gltf.parser.associations)
    if (object.isMesh && reference?.meshes !== undefined && !reference.primitives) meshes[reference.meshes] = object
  return meshes
}

function placesOf(mesh) {
  const place = new THREE.Vector3(), count = mesh.geometry.attributes.position.count
  return Array.from({ length: count }, (_, i) => mesh.getVertexPosition(i, place).applyMatrix4(mesh.matrixWorld).toArray())
}

async function follow(character, clip, gltf) {
  const problems = [], meshes = meshesOf(gltf), animation = gltf.animations[0]
  const mixer = new THREE.AnimationMixer(gltf.scene)
  const action = mixer.clipAction(animation)
  action.setLoop(THREE.LoopOnce)
  action.clampWhenFinished = true
  action.play()
  let worst = 0, count = 0
  // A mesh that only has the weights of another one is not in the file.
  const named = character.meshes.filter((mesh) => gltf.parser.json.meshes.some((one) => one.name === mesh.name))
  const own = named.length === meshes.length ? named : character.meshes.slice(0, meshes.length)
  for (let k = 0; k < TIMES; k++) {
    const t = Math.floor(random() * animation.duration * 1e4) / 1e4
    mixer.setTime(t)
    gltf.scene.updateMatrixWorld(true)
    for (const [i, mesh] of meshes.entries()) {
      mesh.skeleton?.update()
      const wanted = (await (await get(`/v1/meshes/${own[i].id}/vertices?clip=${clip.id}&t=${t}&wrap=clamp&skeleton=${character.skeleton}`)).json()).positions
      const found = placesOf(mesh)
      if (found.length !== wanted.length) { problems.push(`${own[i].name}: ${found.length} vertices in place of ${wanted.length}`); continue }
      for (const [v, place] of found.entries()) {
        const off = Math.hypot(place[0] - wanted[v][0], place[1] - wanted[v][1], place[2] - wanted[v][2])
        if (!(off <= METRES)) problems.push(`${own[i].name}, vertex ${v} at ${t}: off by ${off} m`)
        worst = Math.max(worst, off)
        count++
      }
    }
  }
  return { problems, worst, count }
}

const load = (bytes) => new Promise((done, fail) => new GLTFLoader().parse(bytes.buffer, '', done, fail))

let judged = 0, vertices = 0, worst = 0
const problems = []
for (const item of await all('/v1/characters?limit=200')) {
  const character = await (await get(`/v1/characters/${item.id}`)).json()
  if (!character.meshes.length) continue
  let [clip] = character.clips
  // Its archive has none: one of a PATH that is for its skeleton.
  if (!clip && character.skeleton) clip = (await all('/v1/clips?limit=1000')).find((one) => one.skeleton === character.skeleton)
  const bytes = new Uint8Array(await (await get(`/v1/characters/${item.id}.glb${clip ? `?clips=${clip.id}` : ''}`)).arrayBuffer())
  const name = `${character.format} ${character.name}`
  problems.push(...(await validate(bytes)).map((text) => `${name}: ${text}`))
  judged++
  if (!clip) continue
  const gltf = await load(bytes)
  if (!gltf.animations.length) continue
  const result = await follow(character, clip, gltf)
  problems.push(...result.problems.slice(0, 5).map((text) => `${name}: ${text}`))
  vertices += result.count
  worst = Math.max(worst, result.worst)
}
console.log(`${judged} characters; ${vertices} places of vertices at ${TIMES} times, at most ${worst.toExponential(2)} m apart`)
for (const problem of problems.slice(0, 50)) console.log(problem)
if (problems.length || !judged || !vertices) process.exit(1)
