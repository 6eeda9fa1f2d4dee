import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { Posed, type ClipItem } from "posed-client";
import "posed-client/element";
import "./wall.css";
import type { PosedClip, PosedClipEvents } from "posed-client/element";

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "posed-clip": DetailedHTMLProps<HTMLAttributes<PosedClip>, PosedClip> & Partial<Pick<PosedClip, "src" | "character" | "onto" | "autoplay" | "loop" | "controls" | "background">>;
    }
  }
}

const SHOWN = 12;
const server = new URLSearchParams(location.search).get("server") ?? "";

function listen(element: PosedClip | null, onReady: (name: string) => void): (() => void) | undefined {
  if (!element) return undefined;
  const ready = (event: PosedClipEvents["ready"]): void => onReady(event.detail.clip.name);
  element.addEventListener("ready", ready);
  return () => element.removeEventListener("ready", ready as EventListener);
}

function Wall({ clips }: { clips: readonly ClipItem[] }) {
  const [ready, setReady] = useState<readonly string[]>([]);
  return (
    <main>
      <h1>Twelve figures</h1>
      <p role="status">{ready.length} of {SHOWN} ready; those out of sight wait until they are near</p>
      <div className="wall">
        {Array.from({ length: SHOWN }, (_, i) => clips[i % clips.length]).map((clip, i) => clip && (
          <figure key={i}>
            <posed-clip src={`${server}/clip/${clip.id}`} autoplay loop
              ref={(element: PosedClip | null) => listen(element, (name) => setReady((before) => [...before, name]))} />
            <figcaption>{clip.name} <small>{clip.duration.toFixed(1)} s</small></figcaption>
          </figure>
        ))}
      </div>
    </main>
  );
}

const { items } = await new Posed(server).clips({ limit: SHOWN, sort: "name" });
const root = document.getElementById("root");
if (!root) throw new Error("no root");
createRoot(root).render(<StrictMode><Wall clips={items} /></StrictMode>);
