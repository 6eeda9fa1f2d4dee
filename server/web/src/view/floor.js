// The floor: one plane that fades out, with lines every square, and the figure's shadow on it.
import { Color, Group, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial, Vector2 } from "three";

const SQUARES = 20; // from edge to edge
const COLOR = 0x8890a0, SHADOW = 0.28;

const VERTEX = `
  varying vec2 place;
  void main() {
    place = uv - 0.5;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`;
// Lines as thick as a pixel, every tenth of them stronger; where squares are smaller than pixels they melt into a tone.
const FRAGMENT = `
  uniform vec3 color;
  uniform vec2 first;
  varying vec2 place;
  float lines(vec2 at, float width) {
    vec2 grain = fwidth(at), off = abs(fract(at - 0.5) - 0.5) / max(grain, vec2(1e-6));
    vec2 line = (1.0 - min(off / width, 1.0)) * (1.0 - smoothstep(0.3, 0.9, grain));
    return max(line.x, line.y);
  }
  void main() {
    vec2 at = place * ${SQUARES.toFixed(1)};
    float strength = max(lines(at, 1.0) * 0.4, lines((at + first) / 10.0, 1.4) * 0.75);
    float fade = 1.0 - smoothstep(0.25, 0.5, length(place));
    gl_FragColor = vec4(color, (strength + 0.05) * fade);
  }`;

export class Floor {
  constructor() {
    const plane = new PlaneGeometry(SQUARES, SQUARES).rotateX(-Math.PI / 2);
    this.lines = new Mesh(plane, new ShaderMaterial({
      uniforms: { color: { value: new Color(COLOR) }, first: { value: new Vector2() } },
      vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false,
    }));
    this.shade = new Mesh(plane, new ShadowMaterial({ opacity: SHADOW, depthWrite: false }));
    this.shade.receiveShadow = true;
    this.shade.renderOrder = 1;
    this.group = new Group();
    this.group.add(this.lines, this.shade);
  }

  /** Squares of that many metres (a power of ten), around a place that is rounded to squares. */
  lay(square, x, y, z) {
    this.group.scale.setScalar(square);
    const [column, row] = [Math.round(x / square), Math.round(z / square)];
    this.group.position.set(column * square, y, row * square);
    this.lines.material.uniforms.first.value.set(column % 10, -row % 10);
  }

  set visible(on) {
    this.group.visible = on;
  }

  get visible() {
    return this.group.visible;
  }

  dispose() {
    this.lines.geometry.dispose();
    this.lines.material.dispose();
    this.shade.material.dispose();
  }
}
