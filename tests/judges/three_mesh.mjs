// three_mesh.mjs OUTDIR POSED: a body with four weights, as three.js' GLTFExporter writes it, made fit for the games by POSED.
// What they make of it deforms as three.js itself does, within the error that the warning states: a share L of a vertex's weight
// that is dropped moves it by at most L times the distance between the places where its bones would have it.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import assert from 'node:assert/strict'
import * as THREE from 'three'
import { GLTFExporter } from 'three/addons/exporters/GLTFExporter.js'

globalThis.FileReader = class {
  readAsArrayBuffer (blob) {
    blob.arrayBuffer().then(buffer => { this.result = buffer; this.onloadend() })
  }
}

const FOOT = 0.3048
const NAMES = ['PELVIS', 'SPINE', 'SPINE1', 'HEAD']

function body () {
  const bones = NAMES.map((name, i) => {
    const bone = new THREE.Bone()
    bone.name = name
    bone.position.set(0.05 * i, i ? 0.4 : 0.2, 0)
    bone.rotation.z = 0.2 * i
    return bone
  })
  bones.slice(1).forEach((bone, i) => bones[i].add(bone))
  const geometry = new THREE.CylinderGeometry(0.2, 0.25, 1.6, 12, 16)
  geometry.translate(0, 0.8, 0)
  const count = geometry.attributes.position.count
  const index = new Uint16Array(4 * count)
  const weight = new Float32Array(4 * count)
  for (let v = 0; v < count; v++) {
    const height = geometry.attributes.position.getY(v) / 1.6
    const shares = NAMES.map((_, i) => Math.exp(-8 * (height - i / 3) ** 2))
    const sum = shares.reduce((a, b) => a + b)
    shares.forEach((share, i) => { index[4 * v + i] = i; weight[4 * v + i] = share / sum })
  }
  geometry.setAttribute('skinIndex', new THREE.BufferAttribute(index, 4))
  geometry.setAttribute('skinWeight', new THREE.BufferAttribute(weight, 4))
  const mesh = new THREE.SkinnedMesh(geometry, new THREE.MeshStandardMaterial())
  mesh.name = 'body'
  mesh.add(bones[0])
  mesh.updateMatrixWorld(true)
  mesh.bind(new THREE.Skeleton(bones))
  return { mesh, bones }
}

// Of text: real vertices, each with its bones, places in their spaces and weights.
function readSkn (text) {
  const lines = text.split('\r\n')
  let at = 2
  const rows = convert => Array.from({ length: Number(lines[at++]) }, () => convert(lines[at++]))
  const numbers = line => line.trim().split(/\s+/).map(Number)
  const names = rows(line => line)
  const faces = rows(numbers)
  const bindings = rows(numbers)
  const real = rows(numbers).length
  const blends = rows(numbers)
  const vertices = rows(numbers)
  const owner = []
  for (const [bone, first, number, blendFirst, blendNumber] of bindings) {
    for (let v = first; v < first + number; v++) owner[v] = names[bone]
    for (let v = blendFirst; v < blendFirst + blendNumber; v++) owner[real + v] = names[bone]
  }
  const parts = Array.from({ length: real }, (_, v) => [[owner[v], vertices[v], 1]])
  blends.forEach(([v, weight], k) => {
    parts[v][0][2] = 1 - weight / 32768
    parts[v].push([owner[real + k], vertices[real + k], weight / 32768])
  })
  return { faces, parts }
}

function place (part, bones) {
  const sum = new THREE.Vector3()
  for (const [name, [x, y, z], weight] of part) {
    const point = new THREE.Vector3(-x * FOOT, y * FOOT, z * FOOT)
    sum.addScaledVector(point.applyMatrix4(bones.find(bone => bone.name === name).matrixWorld), weight)
  }
  return sum
}

// Where each of a vertex's bones alone would have it.
function images (mesh, v) {
  const point = new THREE.Vector3().fromBufferAttribute(mesh.geometry.attributes.position, v)
  return mesh.skeleton.bones.map((bone, i) =>
    point.clone().applyMatrix4(mesh.skeleton.boneInverses[i]).applyMatrix4(bone.matrixWorld))
}

const spread = points => Math.max(...points.flatMap(a => points.map(b => a.distanceTo(b))))

const [, , folder, posed] = process.argv
mkdirSync(folder, { recursive: true })
const { mesh, bones } = body()
const scene = new THREE.Scene()
scene.add(mesh)
const made = await new GLTFExporter().parseAsync(scene, { binary: true, onlyVisible: false })
const glb = join(folder, 'three-body.glb')
writeFileSync(glb, Buffer.from(made))
const skn = join(folder, 'body.skn')
const told = spawnSync(posed, ['convert', glb, skn], { encoding: 'utf8' })
assert.equal(told.status, 0, told.stderr)
const stated = Number(/at most ([\d.]+) is lost/.exec(told.stderr)?.[1])
assert.ok(stated > 0.1 && stated < 0.6, told.stderr)
const { faces, parts } = readSkn(readFileSync(skn, 'latin1'))
const corners = mesh.geometry.index.array
assert.equal(3 * faces.length, corners.length)
let worst = 0
let most = 0
const poses = [] // for three_mesh.py: what each bone does, where each corner is, how far its bones would have it apart
for (let pose = 0; pose < 20; pose++) {
  bones.forEach((bone, i) => bone.rotation.set(Math.sin(pose + i), Math.cos(2 * pose + i), 0.3 * Math.sin(3 * pose - i)))
  mesh.updateMatrixWorld(true)
  mesh.skeleton.update()
  const moves = Object.fromEntries(bones.map((bone, i) =>
    [bone.name, new THREE.Matrix4().multiplyMatrices(bone.matrixWorld, mesh.skeleton.boneInverses[i]).toArray()]))
  const places = Array.from(corners, v => mesh.getVertexPosition(v, new THREE.Vector3()).toArray())
  poses.push({ moves, places, spreads: Array.from(corners, v => spread(images(mesh, v))) })
  faces.forEach((face, f) => {
    const order = [0, 2, 1] // the game's axes are mirrored
    face.forEach((vertex, k) => {
      const v = corners[3 * f + order[k]]
      const wanted = mesh.getVertexPosition(v, new THREE.Vector3())
      const off = place(parts[vertex], bones).distanceTo(wanted)
      assert.ok(off <= stated * spread(images(mesh, v)) + 1e-3, `pose ${pose}, vertex ${v}: ${off}`)
      worst = Math.max(worst, off)
      most = Math.max(most, stated * spread(images(mesh, v)))
    })
  })
}
for (const target of ['simgeom', 'cmdl']) { // four weights, and three: the fourth is below the tenth that is told
  const told = spawnSync(posed, ['convert', glb, join(folder, `body.${target}`)], { encoding: 'utf8' })
  assert.equal(told.status, 0, told.stderr)
  assert.doesNotMatch(told.stderr, /weights_dropped/)
}
writeFileSync(join(folder, 'poses.json'), JSON.stringify(poses))
execFileSync(posed, ['info', skn], { stdio: 'ignore' })
console.log(`skn, 20 poses: ${worst.toFixed(4)} m off at most, ${most.toFixed(4)} m stated (${stated} of the weight)`)
