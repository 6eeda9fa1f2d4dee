// The mesh of a clip: its vertices at several times, fetched while the view is already playing.
const MESH_FRAMES = 60;
const FETCHES = 6;

/** Fetches the vertices of a mesh over the whole clip, a few requests at a time, and shows each as it arrives. */
export class MeshLoader {
  constructor(posed, viewer) {
    Object.assign(this, { posed, viewer, controller: new AbortController() });
  }

  stop() {
    this.controller.abort();
  }

  frame() {
    if (!this.viewer.wasTurned) this.viewer.frameAll();
  }

  async load(mesh, clip, skeleton) {
    const { signal } = this.controller;
    const { faces } = await this.posed.mesh(mesh, { signal });
    const count = clip.duration > 0 ? Math.min(MESH_FRAMES, Math.ceil(clip.duration * (clip.fps || 30)) + 1) : 1;
    const times = Array.from({ length: count }, (_, i) => (count > 1 ? (clip.duration * i) / (count - 1) : 0));
    const frames = new Array(count).fill(null);
    const options = { clip: clip.id, skeleton: skeleton === "auto" ? undefined : skeleton };
    frames[0] = await this.posed.vertices(mesh, { ...options, t: 0 }, { signal });
    this.viewer.setMesh({ faces, times, frames, vertexCount: frames[0].length / 6 });
    this.frame();
    let next = 1;
    const worker = async () => {
      while (next < count) {
        const i = next++;
        frames[i] = await this.posed.vertices(mesh, { ...options, t: times[i] }, { signal });
      }
    };
    await Promise.all(Array.from({ length: FETCHES }, worker));
    this.frame();
  }
}
