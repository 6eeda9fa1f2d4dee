// Onion skin: the bones as they stood a little before, and as they will stand a little later.
import { InstancedMesh, MeshBasicMaterial } from "three";

const EACH_SIDE = 3, APART_S = 0.1;
const BEFORE = 0x2f7fe0, LATER = 0xe0762f;

export class Ghosts {
  /** @param bones the InstancedMesh whose form they have; @param step the length of a frame, in seconds */
  constructor(bones, step) {
    this.apart = Math.max(1, Math.round(APART_S / step)) * step;
    this.meshes = [];
    for (let k = 1; k <= EACH_SIDE; k++) {
      for (const side of [-1, 1]) {
        const material = new MeshBasicMaterial({ color: side < 0 ? BEFORE : LATER, transparent: true, opacity: 0.34 / k, depthWrite: false });
        const mesh = new InstancedMesh(bones.geometry, material, Math.max(1, bones.count));
        mesh.frustumCulled = false;
        mesh.userData.after = side * k * this.apart;
        this.meshes.push(mesh);
      }
    }
  }

  /** Places those that there are at that time. place(mesh, t) sets the matrices of one. */
  update(t, duration, place) {
    for (const mesh of this.meshes) {
      const then = t + mesh.userData.after;
      mesh.visible = then >= -1e-6 && then <= duration + 1e-6;
      if (mesh.visible) place(mesh, then);
    }
  }

  dispose() {
    for (const mesh of this.meshes) {
      mesh.removeFromParent();
      mesh.material.dispose();
      mesh.dispose();
    }
  }
}
