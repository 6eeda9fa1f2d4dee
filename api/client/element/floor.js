/** The floor: one plane with a metric grid that fades away, and a soft shadow under the figure. */
import { Mesh, PlaneGeometry, ShaderMaterial } from "three";

const VERTEX = `
varying vec3 place;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  place = world.xyz;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

const FRAGMENT = `
uniform float size, square, shadow;
uniform vec2 middle;
varying vec3 place;
float lines(float width) {
  vec2 at = place.xz / width;
  vec2 away = abs(fract(at - 0.5) - 0.5) / fwidth(at);
  return 1.0 - min(min(away.x, away.y), 1.0);
}
void main() {
  float far = length(place.xz - middle);
  float fade = 1.0 - smoothstep(size * 0.25, size, far);
  float grid = max(lines(square) * 0.3, lines(square * 2.0) * 0.55) * fade;
  float dark = 0.28 * (1.0 - smoothstep(0.0, shadow, far));
  float alpha = grid + dark * (1.0 - grid);
  gl_FragColor = vec4(mix(vec3(0.0), vec3(0.5, 0.54, 0.6), grid / max(alpha, 1e-4)), alpha);
}`;

/** Half a power of ten: half metres under a person. */
const squareOf = (height) => 10 ** Math.floor(Math.log10(height * 1.1)) / 2;

export class Floor {
  /** @param figure {height, floorHeight} */
  constructor({ height, floorHeight }) {
    const size = height * 2.4;
    this.uniforms = { size: { value: size }, square: { value: squareOf(height) }, shadow: { value: height * 0.34 }, middle: { value: { x: 0, y: 0 } } };
    const material = new ShaderMaterial({ uniforms: this.uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false });
    this.mesh = new Mesh(new PlaneGeometry(size * 2, size * 2).rotateX(-Math.PI / 2), material);
    this.mesh.position.y = floorHeight;
    this.mesh.renderOrder = -1;
  }

  follow({ x, z }) {
    this.mesh.position.x = x;
    this.mesh.position.z = z;
    Object.assign(this.uniforms.middle.value, { x, y: z });
  }

  dispose() {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}
