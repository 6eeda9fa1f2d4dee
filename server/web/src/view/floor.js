// The floor: one plane that fades out, with lines every square, the figure's shadow on it, and a darker one where it stands.
import { Color, Group, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial, Vector2, Vector3 } from "three";

const SQUARES = 20; // from edge to edge
const COLOR = 0x8890a0, SHADOW = 0.2;
const TOUCHES = 8; // joints near the floor that darken it
const REACH = 0.075, LIFT = 0.06, DARKEST = 0.42; // of a figure's height: how wide one is, from where it is faint

const VERTEX = `
  varying vec2 place;
  varying vec3 spot;
  void main() {
    place = uv - 0.5;
    spot = (modelMatrix * vec4(position, 1.0)).xyz;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`;
// Lines as thick as a pixel, every tenth of them stronger; where squares are smaller than pixels they melt into a tone.
const FRAGMENT = `
  uniform vec3 color;
  uniform vec2 first;
  uniform vec3 touches[${TOUCHES}];
  uniform float reach;
  varying vec2 place;
  varying vec3 spot;
  float lines(vec2 at, float width) {
    vec2 grain = fwidth(at), off = abs(fract(at - 0.5) - 0.5) / max(grain, vec2(1e-6));
    vec2 line = (1.0 - min(off / width, 1.0)) * (1.0 - smoothstep(0.3, 0.9, grain));
    return max(line.x, line.y);
  }
  void main() {
    vec2 at = place * ${SQUARES.toFixed(1)};
    float strength = max(lines(at, 1.0) * 0.4, lines((at + first) / 10.0, 1.4) * 0.75);
    float fade = 1.0 - smoothstep(0.25, 0.5, length(place)), light = 1.0;
    for (int i = 0; i < ${TOUCHES}; i++) {
      vec2 away = (spot.xz - touches[i].xy) / reach;
      light *= 1.0 - touches[i].z * exp(-dot(away, away));
    }
    float lined = (strength + 0.05) * fade, dark = 1.0 - light, alpha = lined + dark * (1.0 - lined);
    gl_FragColor = vec4(color * lined / max(alpha, 1e-4), alpha);
  }`;

export class Floor {
  constructor() {
    const plane = new PlaneGeometry(SQUARES, SQUARES).rotateX(-Math.PI / 2);
    this.lines = new Mesh(plane, new ShaderMaterial({
      uniforms: {
        color: { value: new Color(COLOR) }, first: { value: new Vector2() }, reach: { value: 1 },
        touches: { value: Array.from({ length: TOUCHES }, () => new Vector3()) },
      },
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

  /**
   * Darkens it below what is near: world has a matrix of each joint, of which those are looked at that are shown.
   * @param height of the figure
   */
  touch(world, shown, height) {
    const { touches, reach } = this.lines.material.uniforms, ground = this.group.position.y;
    reach.value = Math.max(height * REACH, 1e-6);
    for (const one of touches.value) one.z = 0;
    for (let i = 0; i < shown.length; i++) {
      if (!shown[i]) continue;
      const above = Math.abs(world[i * 16 + 13] - ground) / (height * LIFT), strength = DARKEST / (1 + above * above);
      let place = TOUCHES; // the strongest are kept, the first being the strongest
      while (place && touches.value[place - 1].z < strength) place--;
      if (place === TOUCHES) continue;
      touches.value.splice(place, 0, touches.value.pop().set(world[i * 16 + 12], world[i * 16 + 14], strength));
    }
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
