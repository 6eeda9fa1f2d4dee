import type { Clip, Problem } from "../posed.js";

export interface PosedClipEvents {
  ready: CustomEvent<{ clip: Clip }>;
  time: CustomEvent<{ time: number; duration: number }>;
  error: CustomEvent<{ message: string; problem: Problem | null }>;
}

/** `<posed-clip>`. Importing the module defines it. */
export class PosedClip extends HTMLElement {
  /** An id on the server that the module came from, or the address of the clip's page, embed or API. */
  src: string | null;
  /** The id of a character, or an address with it. */
  character: string | null;
  /** The id of a skeleton that the clip is retargeted to. */
  onto: string | null;
  autoplay: boolean;
  loop: boolean;
  controls: boolean;
  /** A colour of CSS. */
  background: string | null;
  readonly duration: number;
  readonly clip: Clip | null;
  readonly paused: boolean;
  currentTime: number;
  play(): void;
  pause(): void;
  /** Plays a GLB that is there already. */
  show(clip: Pick<Clip, "name" | "duration" | "loop" | "loop_in" | "loop_out">, bytes: ArrayBuffer): Promise<void>;
  addEventListener<K extends keyof PosedClipEvents>(type: K, listener: (this: PosedClip, event: PosedClipEvents[K]) => void, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "posed-clip": PosedClip;
  }
}
