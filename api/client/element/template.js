/** What the element consists of. Styles are made by script, which a strict content security policy allows. */
export const STYLE = `
:host { display: inline-block; width: 320px; height: 320px; position: relative; overflow: hidden; color-scheme: light dark;
  color: CanvasText; font: 14px/1.4 system-ui, sans-serif; }
:host([hidden]), [hidden] { display: none !important; }
.box { position: absolute; inset: 0; display: flex; flex-direction: column; }
.stage { position: relative; flex: 1; min-height: 0; }
.canvas { position: absolute; inset: 0; width: 100%; height: 100%; touch-action: pan-y; cursor: grab; }
.canvas:active { cursor: grabbing; }
.poster { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: contain; }
.note { position: absolute; inset: auto 0 0; margin: 0; padding: .4rem .6rem; background: Canvas; overflow-wrap: anywhere; }
.player { display: flex; gap: .5rem; align-items: center; padding: .3rem .5rem; background: Canvas; }
.play { width: 2rem; height: 2rem; padding: 0; border: 1px solid GrayText; border-radius: 50%; background: none; color: inherit; cursor: pointer; }
.play svg { display: block; margin: auto; }
.playing .go, .player:not(.playing) .halt { display: none; }
.range { flex: 1; min-width: 2rem; height: 24px; }
.readout { font-variant-numeric: tabular-nums; white-space: nowrap; }
:focus-visible { outline: 2px solid Highlight; outline-offset: 1px; }`;

export const TEMPLATE = `
<div class="box">
  <div class="stage" part="stage">
    <img class="poster" alt="" hidden>
    <canvas class="canvas" role="img" aria-label="Animation"></canvas>
    <p class="note" role="alert" hidden></p>
  </div>
  <div class="player" part="player" role="group" aria-label="Playback" hidden>
    <button class="play" type="button" aria-label="Play"><svg width="14" height="14" viewBox="0 0 14 14" fill="currentColor"
      aria-hidden="true"><path class="go" d="M3 1v12l10-6z"/><path class="halt" d="M2 1h4v12H2zM8 1h4v12H8z"/></svg></button>
    <input class="range" type="range" min="0" max="1" step="any" value="0" aria-label="Time">
    <output class="readout"></output>
  </div>
</div>`;
