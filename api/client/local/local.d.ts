/** Where they apply: the byte, the line, the field that is wrong, the limit that was hit. */
export interface LocalProblem { code: string; detail?: string; offset?: number; line?: number; field?: string; limit?: string }
export class LocalError extends Error { problem: LocalProblem; constructor(problem: LocalProblem) }
export function compile(source: WebAssembly.Module | BufferSource | Response | Promise<Response>): Promise<WebAssembly.Module>;
export interface LocalAsset { name: string; format: string; entry: string; [member: string]: unknown }
export interface LocalClip extends LocalAsset { duration: number; fps: number | null; joint_count: number; event_count: number }
export interface LocalFound {
  name: string; format: string | null; kind: "file" | "archive";
  clips: LocalClip[]; skeletons: LocalAsset[]; meshes: LocalAsset[]; characters: LocalAsset[]; images: LocalAsset[];
  rejected: { entry: string; error: LocalProblem }[];
  warnings: { code: string; message: string; offset?: number }[];
  verdict?: { target: string; accepted: boolean; reasons: { code: string; message: string }[] }[];
}
export interface LocalPlayed {
  skeleton: string | null; stand_in: boolean; duration: number; unmatched: number;
  joints: { name: string | null; id?: number; parent: number }[]; morphs: { name: string | null; id?: number }[];
}
export interface SampleOptions { wrap?: boolean; motion?: boolean }
export class Local {
  /** milliseconds: how long one call may take. */
  constructor(module: WebAssembly.Module, options?: { milliseconds?: number });
  open(files: { name: string; bytes: Uint8Array }[]): LocalFound;
  play(clip: number, options?: { skeleton?: number | null; axes?: "gltf" | "sl" | "sims" | "prime" | "inches" | "z_up" }): LocalPlayed;
  sample(t: number, options?: SampleOptions): Float32Array | null;
  series(start: number, step: number, count: number, options?: SampleOptions): Float32Array | null;
  model(): Float32Array | null;
  glb(clip: number, options?: { skeleton?: number | null }): Uint8Array;
  close(): void;
}
