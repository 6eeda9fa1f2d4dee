/** What JSON can hold. */
export type Json = string | number | boolean | null | Json[] | { [field: string]: Json };
export type Extras = Record<string, Json>;

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
  /** In lists: how many clips are of its name and shape, itself included. */
  versions?: number;
  created?: string;
  skeleton: string | null;
  warnings: Warning[];
  extras: Extras;
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
  [field: string]: Json | undefined;
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

/** How well a clip fits another skeleton: degrees and metres. */
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
    skate: { mean: number; max: number; stances: number };
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
  sample(t: number, out?: Float32Array): Float32Array;
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

export interface ArchiveItem {
  id: string;
  name: string;
  format: string;
  bytes: number;
  created?: string;
  entry_count: number;
  source: "upload" | "path";
  error?: Problem;
  state?: "waiting" | "published";
  uploader?: string;
  expires?: string;
  links: Record<string, string>;
}

export interface Named {
  id: string;
  name: string;
  archive: string;
}

export interface Rejected {
  entry: string;
  index: number;
  error: Problem;
}

export interface Archive extends ArchiveItem {
  clips: Named[];
  skeletons: Named[];
  meshes: Named[];
  characters: Named[];
  images: Named[];
  rejected: Rejected[];
}

export type Upload = Archive;

export interface Entry {
  index: number;
  name: string;
  size: number;
  kind: "clip" | "skeleton" | "mesh" | "events" | "character" | "image" | "other";
  format: string | null;
  error?: Problem;
}

export interface Format {
  id: string;
  title: string;
  /** The same for all formats of a game. */
  family: string | null;
  extensions: string[];
  media_type: string;
  kinds: string[];
  read: boolean;
  write: boolean;
  targets: string[];
  mesh_targets: string[];
}

export interface RestJoint {
  name: string | null;
  id: number | null;
  parent: number;
  translation: number[];
  rotation: number[];
  scale: number[];
  extras?: Extras;
}

/** What a single skeleton, mesh or image has besides the fields of its kind. */
export interface Found {
  id: string;
  name: string | null;
  format: string;
  archive: string | null;
  entry: string | null;
  warnings: Warning[];
  extras: Extras;
}

export interface Skeleton extends Found {
  joint_count: number;
  axes: "gltf" | "native";
  joints: RestJoint[];
}

export interface Material {
  name: string | null;
  base_color: number[];
  image: string | null;
  image_id: string | null;
  alpha: "opaque" | "mask" | "blend";
  cutoff: number;
  two_sided: boolean;
  emissive: number[];
  emissive_image: string | null;
  emissive_image_id: string | null;
  extras: Extras;
}

export interface Mesh extends Found {
  vertex_count: number;
  face_count: number;
  axes: "gltf" | "native";
  skeleton: string | null;
  texture: string | null;
  texture_id: string | null;
  faces: number[][];
  uvs: number[][];
  primitives: { material: number; faces: number[][] }[];
  materials: Material[];
  morphs: string[];
  bindings: { bone: string; first: number; count: number; blend_first: number; blend_count: number; weight?: number }[];
  blends: { vertex: number; weight: number }[];
}

export interface ImageItem extends Asset {
  width: number;
  height: number;
  alpha: boolean;
}

export interface Image extends Found {
  width: number;
  height: number;
  alpha: boolean;
}

export interface Channel {
  times: number[];
  values: number[][];
}

export interface KeyedJoint {
  name: string | null;
  id: number | null;
  joint?: number;
  translation?: Channel;
  rotation?: Channel;
  scale?: Channel;
  morph?: Channel;
  extras?: Extras;
}

/** A clip with every key: clip JSON. */
export interface Keys extends Omit<ClipItem, "archive" | "entry" | "created" | "skeleton" | "links"> {
  axes?: "native" | "gltf";
  skeleton?: { name: string | null; scaling: "inherited" | "offsets"; root_joint?: number; joints: RestJoint[] };
  joints: KeyedJoint[];
  events: Event[];
}

export interface Verdict {
  target: string;
  accepted: boolean;
  reasons: { code: string; message: string; offset?: number; line?: number; joint?: string }[];
}

/** What a file is; nothing of it is kept. */
export interface Inspection {
  id: string;
  name: string;
  format: string;
  kind: string;
  bytes: number;
  entry_count: number;
  source: string;
  clips: Clip[];
  skeletons: Extras[];
  meshes: Extras[];
  characters: Extras[];
  images: Extras[];
  rejected: Rejected[];
  warnings: Warning[];
  links: Record<string, string>;
  verdict?: Verdict[];
}

export interface Hashes {
  name: string;
  fnv32: string;
  fnv64: string;
  clip_id: string;
}

export interface Resolution {
  name: string | null;
  chain: { clip_id: string; name: string | null; actors: Json; loaded: { archive: string; index: number; entry: string; clip: string | null }[] }[];
}

export type Filter = Record<string, string | number | undefined>;
export type Files = File | Blob | (File | Blob)[];

export interface UploadOptions extends RequestInit {
  /** Bytes sent, and all of them; in browsers. */
  onProgress?: (sent: number, total: number) => void;
}

export class Posed {
  constructor(base?: string, options?: { token?: string; fetch?: typeof fetch; archive?: string });
  readonly archive?: string;
  /** The same server, as one archive has what is asked for by id. */
  inArchive(archive: string): Posed;
  /** The address of a path below the server, or of a link that it gave. */
  address(path: string): string;
  request(path: string, init?: RequestInit): Promise<Response>;
  json<T>(path: string, init?: RequestInit): Promise<T>;
  clips(filter?: Filter, init?: RequestInit): Promise<Page<ClipItem>>;
  archives(filter?: Filter, init?: RequestInit): Promise<Page<ArchiveItem>>;
  skeletons(filter?: Filter, init?: RequestInit): Promise<Page<Asset & { joint_count: number }>>;
  meshes(filter?: Filter, init?: RequestInit): Promise<Page<Asset & { vertex_count: number; face_count: number }>>;
  characters(filter?: Filter, init?: RequestInit): Promise<Page<Asset>>;
  images(filter?: Filter, init?: RequestInit): Promise<Page<ImageItem>>;
  formats(init?: RequestInit): Promise<Page<Format>>;
  all(kind: "clips", filter?: Filter): AsyncGenerator<ClipItem>;
  all(kind: "archives", filter?: Filter): AsyncGenerator<ArchiveItem>;
  all(kind: "images", filter?: Filter): AsyncGenerator<ImageItem>;
  all(kind: "skeletons" | "meshes" | "characters", filter?: Filter): AsyncGenerator<Asset>;
  clip(id: string, init?: RequestInit): Promise<Clip>;
  keys(id: string, init?: RequestInit): Promise<Keys>;
  events(id: string, window?: { from?: number; to?: number }, init?: RequestInit): Promise<Page<Event>>;
  skeleton(id: string, init?: RequestInit): Promise<Skeleton>;
  archiveOf(id: string, init?: RequestInit): Promise<Archive>;
  entries(archive: string, filter?: Filter, init?: RequestInit): Promise<Page<Entry>>;
  image(id: string, init?: RequestInit): Promise<Image>;
  hash(name: string, init?: RequestInit): Promise<Hashes>;
  resolve(what: { name: string } | { id: string }, init?: RequestInit): Promise<Resolution>;
  people(init?: RequestInit): Promise<People>;
  humanoid(skeleton: string, init?: RequestInit): Promise<Humanoid>;
  retarget(id: string, options: PoseOptions, init?: RequestInit): Promise<Fit>;
  diff(id: string, other: string, options?: { fps?: number; skeleton?: string; archive?: string }, init?: RequestInit): Promise<Difference>;
  mesh(id: string, init?: RequestInit): Promise<Mesh>;
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
  inspect(files: Files | BufferSource, name?: string, init?: RequestInit): Promise<Inspection>;
  /** A file, or several that need each other, in another format. */
  convert(files: Files | BufferSource, to: string, options?: Filter, init?: RequestInit): Promise<Blob>;
  /** Every clip of an archive, or of several files, in another format: a ZIP with report.json. */
  convertAll(files: Files | BufferSource, to: string, options?: Filter, init?: RequestInit): Promise<Blob>;
  upload(files: Files, name?: string, init?: UploadOptions): Promise<Upload>;
  remove(archive: string, init?: RequestInit): Promise<void>;
  previewURL(id: string, type?: "png" | "svg" | "webp", options?: Filter): string;
  plotURL(id: string, options?: Filter): string;
  archiveURL(id: string, to: string, options?: Filter): string;
  /** options: clips and with are ids between commas. */
  characterURL(id: string, options?: Filter): string;
  convertURL(id: string, extension: string, options?: Filter): string;
  entryURL(archive: string, index: number): string;
  skeletonURL(id: string, extension?: "glb" | "json", options?: Filter): string;
  /** As GLB or made fit for a game: "glb", "skn", "simgeom", … */
  meshURL(id: string, extension?: string, options?: Filter): string;
  imageURL(id: string): string;
  /** The page of a clip, an archive or a character, or the viewer for a frame. */
  pageURL(kind: "clip" | "archive" | "character" | "embed", id: string, options?: Filter): string;
}
