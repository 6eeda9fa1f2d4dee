import type { Poses } from "./posed.js";

export function threeName(name: string): string;

/** What of three.js's Object3D is used. */
export interface Drivable {
  name: string;
  traverse(visit: (object: Drivable) => void): void;
  position: { set(x: number, y: number, z: number): unknown };
  quaternion: { set(x: number, y: number, z: number, w: number): unknown };
  scale: { set(x: number, y: number, z: number): unknown };
}

export class PoseDriver {
  constructor(poses: Poses, root: Drivable);
  readonly poses: Poses;
  readonly objects: (Drivable | null)[];
  readonly missing: string[];
  apply(t: number): void;
}
