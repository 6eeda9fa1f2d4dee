// three_export.mjs OUTDIR: glTF files as three.js' GLTFExporter writes them, of motions whose values are known.
//
//   three-skinned.glb   a skin of three bones, two clips of linear and stepped keys
//   three-nodes.gltf    nodes inside of each other without a skin, morph targets, embedded buffers, keys at sixtieths
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as THREE from 'three'
import { GLTFExporter } from 'three/addons/exporters/GLTFExporter.js'

// The one thing of a browser that the exporter wants and Node lacks.
globalThis.FileReader = class {
  readAsArrayBuffer (blob) {
    blob.arrayBuffer().then(buffer => { this.result = buffer; this.onloadend() })
  }

  readAsDataURL (blob) {
    blob.arrayBuffer().then(buffer => {
      this.result = `data:${blob.type};base64,${Buffer.from(buffer).toString('base64')}`
      this.onloadend()
    })
  }
}

const root = Math.SQRT1_2

function skinned () {
  const hips = new THREE.Bone()
  const spine = new THREE.Bone()
  const head = new THREE.Bone()
  hips.name = 'hips'
  spine.name = 'spine'
  head.name = 'head'
  hips.position.set(0, 1, 0)
  spine.position.set(0, 0.25, 0)
  head.position.set(0, 0.5, 0.125)
  head.scale.set(2, 2, 2)
  hips.add(spine)
  spine.add(head)
  const geometry = new THREE.BufferGeometry()
  geometry.setAttribute('position', new THREE.Float32BufferAttribute([0, 0, 0, 1, 0, 0, 0, 1, 0], 3))
  geometry.setAttribute('skinIndex', new THREE.Uint16BufferAttribute([0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0], 4))
  geometry.setAttribute('skinWeight', new THREE.Float32BufferAttribute([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], 4))
  const mesh = new THREE.SkinnedMesh(geometry, new THREE.MeshBasicMaterial())
  mesh.name = 'body'
  mesh.add(hips)
  mesh.bind(new THREE.Skeleton([hips, spine, head]))
  const stepped = new THREE.VectorKeyframeTrack('hips.position', [0, 0.5, 1], [0, 1, 0, 0, 2, 0, 0, 3, 0], THREE.InterpolateDiscrete)
  const nod = new THREE.AnimationClip('nod', 1, [
    new THREE.QuaternionKeyframeTrack('head.quaternion', [0, 1], [0, 0, 0, 1, root, 0, 0, root]),
    stepped
  ])
  const turn = new THREE.AnimationClip('turn', 2, [
    new THREE.QuaternionKeyframeTrack('spine.quaternion', [0, 0.5, 2], [0, 0, 0, 1, 0, root, 0, root, 0, 1, 0, 0])
  ])
  return [mesh, [nod, turn]]
}

function nodes () {
  const base = new THREE.Group()
  const arm = new THREE.Object3D()
  const hand = new THREE.Object3D()
  base.name = 'base'
  arm.name = 'arm'
  hand.name = 'hand'
  base.rotation.y = Math.PI / 2
  arm.position.set(1, 2, 3)
  hand.position.set(0, 0, 0.5)
  base.add(arm)
  arm.add(hand)
  const geometry = new THREE.BufferGeometry()
  geometry.setAttribute('position', new THREE.Float32BufferAttribute([0, 0, 0, 1, 0, 0, 0, 1, 0], 3))
  geometry.morphAttributes.position = [
    new THREE.Float32BufferAttribute([0, 0, 1, 1, 0, 1, 0, 1, 1], 3),
    new THREE.Float32BufferAttribute([1, 0, 0, 2, 0, 0, 1, 1, 0], 3)
  ]
  geometry.morphAttributes.position[0].name = 'smile'
  geometry.morphAttributes.position[1].name = 'frown'
  const face = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial())
  face.name = 'face'
  hand.add(face)
  const times = []
  const values = []
  for (let k = 0; k <= 60; k++) {
    times.push(k / 60)
    values.push(1 + k / 60, 2, 3 - k / 30)
  }
  const clip = new THREE.AnimationClip('wave', -1, [
    new THREE.VectorKeyframeTrack('arm.position', times, values),
    new THREE.VectorKeyframeTrack('hand.scale', [0, 1], [1, 1, 1, 1, 2, 3]),
    new THREE.NumberKeyframeTrack('face.morphTargetInfluences', [0, 1], [0, 1, 0.5, 0.25])
  ])
  return [base, [clip]]
}

async function write (path, [object, animations], binary) {
  const scene = new THREE.Scene()
  scene.add(object)
  const made = await new GLTFExporter().parseAsync(scene, { binary, animations, onlyVisible: false })
  writeFileSync(path, binary ? Buffer.from(made) : JSON.stringify(made, null, 1) + '\n')
}

const folder = process.argv[2]
mkdirSync(folder, { recursive: true })
await write(join(folder, 'three-skinned.glb'), skinned(), true)
await write(join(folder, 'three-nodes.gltf'), nodes(), false)
