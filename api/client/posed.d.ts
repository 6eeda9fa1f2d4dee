export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code?: string;
  format?: string;
  offset?: number;
  line?: number;
  pointer?: string;
  parameter?: string;
  entry?: string;
  limit?: string;
  request_id?: string;
}

export class PosedError extends Error {
  constructor(message: string, status: number, problem?: Problem | null);
  readonly status: number;
  readonly problem: Problem | null;
}

export interface Page<Item> {
  items: Item[];
  next: string | null;
  total: number;
  total_is_estimate?: true;
  /** Of `facets`: how many of all items have which value. */
  facets?: Record<string, { value: string | boolean | null; count: number }[]>;
  /** Of a search that found nothing. */
  did_you_mean?: string[];
}

export interface Asset {
  id: string;
  name: string;
  format: string;
  archive: string;
  entry: string;
}

export interface Warning {
  code: string;
  severity: "note" | "warning";
  message: string;
  offset?: number;
}

export interface ClipItem extends Asset {
  bytes: number;
  duration: number;
  fps: number | null;
  frame_count: number | null;
  loop: boolean | null;
  loop_in: number;
  loop_out: number;
  interpolation: string;
  joint_count: number;
  key_count: number;
  event_count: number;
  created?: string;
  skeleton: string | null;
  warnings: Warning[];
  extras: Record<string, unknown>;
  links: Record<string, string>;
}

export interface Clip extends ClipItem {
  found_in: { archive: string; index: number; entry: string }[];
  joints: { name: string | null; id: number | null; channels: string[] }[];
}

/** What else it has depends on the format: kind, name, value, joints, … */
export interface Event {
  time: number;
  type?: string;
  [field: string]: unknown;
}

export interface Joint {
  name: string | null;
  id: number | null;
  parent?: number;
  driven: boolean;
}

export interface Pose {
  clip: string;
  t: number;
  space: "local" | "model";
  axes: "gltf" | "native";
  skeleton: string | null;
  joints: (Joint & { translation?: number[]; rotation?: number[]; scale?: number[]; matrix?: number[] })[];
  morphs?: Record<string, number>;
  unmatched?: string[];
  warnings?: Warning[];
}

export interface PosesHead {
  clip: string | null;
  space: "local" | "model";
  axes: "gltf" | "native";
  skeleton: string | null;
  fps: number | null;
  times: number[];
  joints: Joint[];
  morphs?: string[];
  unmatched?: string[];
  warnings?: Warning[];
}

export interface Frame {
  t: number;
  translation: (number[] | null)[];
  rotation: (number[] | null)[];
  scale: (number[] | null)[];
  matrix?: number[][];
  morphs?: number[];
}

export interface PoseOptions {
  space?: "local" | "model";
  axes?: "gltf" | "native";
  skeleton?: "auto" | "none" | string;
  wrap?: "clamp" | "loop";
  root?: "in_place" | "motion";
  joints?: string[] | string;
  /** Of BVH files, which do not say it. */
  up?: "auto" | "y" | "z";
  archive?: string;
  /** The id of the skeleton that the motion is retargeted to; all below goes with it. */
  onto?: string;
  ik?: "feet" | "none";
  travel?: "keep" | "remove";
  heading?: "keep" | "first";
  map?: string | Record<string, string | null>;
  map_onto?: string | Record<string, string | null>;
  strict?: 0 | 1;
}

export interface Humanoid {
  skeleton: string;
  family: string | null;
  quality: number;
  mapped: Record<string, { joint: string; how: "table" | "word" | "tree" | "user" }>;
  missing: string[];
  unmapped: string[];
  carrier: string;
  hip_height: number;
}

/** How well a clip fits another skeleton: degrees and metres. */
/** How far two clips are apart on the skeleton of the first. */
export interface Difference {
  clip: string;
  with: string;
  skeleton: string;
  fps: number;
  joints: { name: string | null; rotation_deg: { mean: number; max: number }; distance_m: { mean: number; max: number } }[];
  times: number[];
  /** At each of the times, the mean over all joints. */
  rotation_deg: number[];
  distance_m: number[];
}

export interface Fit {
  clip: string;
  source: Humanoid;
  target: Humanoid;
  scale: number;
  driven: string[];
  ignored: string[];
  heading: number;
  measures: {
    limbs: { mean: number; max: number };
    head: number;
    hips: number;
    lowest_foot: { source: number; target: number };
    skate: { mean: number; max: number };
    reach: number;
  };
  warnings: { code: string; severity: string; message: string }[];
}

export interface People {
  items: { skeleton: string; name: string; format: string; archive: string | null; family: string | null; quality: number; hip_height: number }[];
  characters: { id: string; name: string; skeleton: string }[];
}

export interface PosesOptions extends PoseOptions {
  t?: number[];
  fps?: number;
  from?: number;
  to?: number;
  end?: 0 | 1;
}

export interface Layer {
  clip: string;
  t?: number;
  weight?: number;
  additive?: boolean;
  /** What an additive layer's difference is from. */
  reference?: "first" | "rest" | { clip: string; t?: number; archive?: string };
  joints?: string[];
  archive?: string;
}

/** An animation that is started and stopped, of a mix as its game plays it. */
export interface PlayedLayer {
  clip: string;
  start?: number;
  stop?: number | null;
  offset?: number;
  immediate?: boolean;
  additive?: boolean;
  priority?: number | null;
  joints?: string[];
  archive?: string;
}

export interface Fade {
  clip: string;
  at?: number;
  duration?: number;
  archive?: string;
}

export interface Times {
  t?: number | number[];
  fps?: number;
  from?: number;
  to?: number;
  end?: 0 | 1;
}

/** Several clips on one skeleton. */
export type Mixture = (
  | { layers: Layer[]; mix?: undefined }
  | { crossfade: Fade[] }
  | { mix: "sl"; layers: PlayedLayer[]; base?: "none" | "avatar"; undriven?: "hold" | "rest" }
) &
  Times & { joints?: string[]; explain?: boolean } & Omit<PoseOptions, "joints">;

export type BatchRequest = ({ clip: string; joints?: string[] } & Times & Omit<PoseOptions, "joints">) | Mixture;

export type BatchResult = (PosesHead & { poses: Frame[] }) | { error: Problem };

export class Poses {
  constructor(head: PosesHead, floats: Float32Array);
  readonly head: PosesHead;
  readonly floats: Float32Array;
  readonly joints: Joint[];
  readonly times: Float64Array;
  readonly frameCount: number;
  readonly width: 10 | 16;
  readonly stride: number;
  readonly duration: number;
  frame(index: number): Float32Array;
  frameAt(t: number): number;
  sample(t: number, out: Float32Array): Float32Array;
}

export function decodePoses(buffer: ArrayBuffer): Poses;

export interface Character extends Asset {
  type: string;
  skeleton: string | null;
  meshes: { id: string; name: string; bone: string | null; texture: string | null }[];
  missing: string[];
  /** Meshes for the places that are free, best first. */
  suggest: { mesh: string; place: "body" | "head" | "hands" | "accessory"; score: number }[];
  clips: { id: string; name: string }[];
}

export interface Upload {
  id: string;
  name: string;
  format: string;
  bytes: number;
  entry_count: number;
  source: "upload" | "path";
  clips: { id: string; name: string; archive: string }[];
  skeletons: { id: string; name: string; archive: string }[];
  meshes: { id: string; name: string; archive: string }[];
  characters: { id: string; name: string; archive: string }[];
  rejected: { entry: string; index: number; error: Problem }[];
  links: Record<string, string>;
}

type Filter = Record<string, string | number | undefined>;

export class Posed {
  constructor(base?: string, options?: { token?: string; fetch?: typeof fetch; archive?: string });
  readonly archive?: string;
  /** The same server, as one archive has what is asked for by id. */
  inArchive(archive: string): Posed;
  request(path: string, init?: RequestInit): Promise<Response>;
  json<T = unknown>(path: string, init?: RequestInit): Promise<T>;
  clips(filter?: Filter, init?: RequestInit): Promise<Page<ClipItem>>;
  archives(filter?: Filter, init?: RequestInit): Promise<Page<{ id: string; name: string; format: string }>>;
  skeletons(filter?: Filter, init?: RequestInit): Promise<Page<Asset & { joint_count: number }>>;
  meshes(filter?: Filter, init?: RequestInit): Promise<Page<Asset & { vertex_count: number; face_count: number }>>;
  characters(filter?: Filter, init?: RequestInit): Promise<Page<Asset>>;
  formats(init?: RequestInit): Promise<Page<{ id: string; title: string; kinds: string[]; read: boolean; write: boolean; targets: string[] }>>;
  all(kind: "clips", filter?: Filter): AsyncGenerator<ClipItem>;
  all(kind: "archives" | "skeletons" | "meshes" | "characters", filter?: Filter): AsyncGenerator<Asset>;
  clip(id: string, init?: RequestInit): Promise<Clip>;
  keys(id: string, init?: RequestInit): Promise<unknown>;
  events(id: string, window?: { from?: number; to?: number }, init?: RequestInit): Promise<Page<Event>>;
  skeleton(id: string, init?: RequestInit): Promise<unknown>;
  people(init?: RequestInit): Promise<People>;
  humanoid(skeleton: string, init?: RequestInit): Promise<Humanoid>;
  retarget(id: string, options: PoseOptions, init?: RequestInit): Promise<Fit>;
  diff(id: string, other: string, options?: { fps?: number; skeleton?: string; archive?: string }, init?: RequestInit): Promise<Difference>;
  mesh(id: string, init?: RequestInit): Promise<unknown>;
  /** with: ids of meshes that are laid on it, comma-separated. */
  character(id: string, options?: { with?: string; archive?: string }, init?: RequestInit): Promise<Character>;
  pose(id: string, t?: number, options?: PoseOptions, init?: RequestInit): Promise<Pose>;
  poses(id: string, options?: PosesOptions, init?: RequestInit): Promise<Poses>;
  stream(id: string, options?: PosesOptions, init?: RequestInit): AsyncGenerator<Frame>;
  batch(requests: BatchRequest[], init?: RequestInit): Promise<BatchResult[]>;
  mixed(item: Mixture, init?: RequestInit): Promise<Poses>;
  mixedFile(item: Mixture, to?: string, options?: Filter, init?: RequestInit): Promise<Blob>;
  vertices(
    mesh: string,
    options?: { clip?: string; t?: number; skeleton?: string; axes?: "gltf" | "native"; wrap?: "clamp" | "loop"; archive?: string },
    init?: RequestInit,
  ): Promise<Float32Array>;
  inspect(bytes: BodyInit, name?: string, init?: RequestInit): Promise<unknown>;
  upload(files: File | Blob | (File | Blob)[], name?: string, init?: RequestInit): Promise<Upload>;
  remove(archive: string, init?: RequestInit): Promise<void>;
  previewURL(id: string, type?: "png" | "svg" | "webp", options?: Filter): string;
  plotURL(id: string, options?: Filter): string;
  archiveURL(id: string, to: string, options?: Record<string, unknown>): string;
  convertURL(id: string, extension: string, options?: Filter): string;
}
