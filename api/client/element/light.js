/**
 * The light of a small studio: a bright sky that darkens towards the floor, a wide soft box to the right and one behind.
 * As spherical harmonics, so that it costs no texture and no pass of its own, and lights every material alike.
 */
import { DirectionalLight, LightProbe, NeutralToneMapping, SphericalHarmonics3, Vector3 } from "three";

const SKY = [0.46, 0.51, 0.6], GROUND = [0.2, 0.18, 0.17];
/** Where from, how strong, in which colour. */
const BOXES = [[[1.2, 0.5, 0.4], 0.9, [0.72, 0.84, 1]], [[0.2, 0.7, -1.3], 1.1, [1, 0.95, 0.88]]];
const SUN_COLOR = 0xfff3e4, SUN_STRENGTH = 2.2;

/** All that is around: what comes from a direction is what it holds. */
function surroundings() {
  const harmonics = new SphericalHarmonics3(), basis = new Array(9), towards = new Vector3();
  // Even light, and the difference between above and below along the second function, which is that of height.
  SKY.forEach((high, channel) => {
    const name = "xyz"[channel], low = GROUND[channel];
    harmonics.coefficients[0][name] += ((high + low) / 2) * Math.sqrt(4 * Math.PI);
    harmonics.coefficients[1][name] += ((high - low) / 2) * Math.sqrt((4 * Math.PI) / 3);
  });
  for (const [from, strength, color] of BOXES) {
    SphericalHarmonics3.getBasisAt(towards.set(...from).normalize(), basis);
    basis.forEach((value, i) => color.forEach((part, channel) => (harmonics.coefficients[i]["xyz"[channel]] += part * strength * value)));
  }
  return harmonics;
}

/** [sun, surroundings]: the sun still has to be placed. */
export function studioLights() {
  return [new DirectionalLight(SUN_COLOR, SUN_STRENGTH), new LightProbe(surroundings(), 1)];
}

/** What is brighter than white keeps its colour. */
export function develop(renderer) {
  renderer.toneMapping = NeutralToneMapping;
}
