import type { Filter, Posed, Poses } from "./posed.js";

export function threeName(name: string): string;

/** What of three.js's Object3D is used. */
export interface Drivable {
  name: string;
  traverse(visit: (object: Drivable) => void): void;
  position: { set(x: number, y: number, z: number): void };
  quaternion: { set(x: number, y: number, z: number, w: number): void };
  scale: { set(x: number, y: number, z: number): void };
}

export class PoseDriver {
  constructor(poses: Poses, root: Drivable);
  readonly poses: Poses;
  readonly objects: (Drivable | null)[];
  readonly missing: string[];
  apply(t: number): void;
}

type Track<T> = new (name: string, times: Float32Array, values: Float32Array) => T;

/** What of three.js makes an AnimationClip: `import * as THREE from "three"` has it. */
export interface Makers<T, Clip> {
  AnimationClip: new (name: string, duration: number, tracks: T[]) => Clip;
  VectorKeyframeTrack: Track<T>;
  QuaternionKeyframeTrack: Track<T>;
}

export function animationClip<T, Clip>(THREE: Makers<T, Clip>, poses: Poses, options?: { name?: string; all?: boolean }): Clip;

export interface Loader<Figure> {
  parseAsync(bytes: ArrayBuffer, path: string): Promise<Figure>;
}

export function loadFigure<Figure>(loader: Loader<Figure>, posed: Posed, clip: string, options?: Filter, init?: RequestInit): Promise<Figure>;
