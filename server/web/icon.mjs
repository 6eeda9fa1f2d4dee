// The icon of the pages as favicon.ico, drawn from the outline that the pages' SVG icon has.
const SIZE = 32;
const SAMPLES = 4; // in each direction of a pixel
const BLUE_GREEN_RED = [0xff, 0x9e, 0x5b];
const OUTLINE = [[8, 1], [5, 7], [8, 15], [11, 7]].map(([x, y]) => [x * SIZE / 16, y * SIZE / 16]);

function isInside(x, y) {
  return OUTLINE.every(([x0, y0], i) => {
    const [x1, y1] = OUTLINE[(i + 1) % OUTLINE.length];
    return (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) <= 0; // the outline is convex and runs counter-clockwise
  });
}

function coverage(column, row) {
  let hits = 0;
  for (let i = 0; i < SAMPLES * SAMPLES; i++) {
    hits += isInside(column + (i % SAMPLES + 0.5) / SAMPLES, row + (Math.floor(i / SAMPLES) + 0.5) / SAMPLES);
  }
  return hits / (SAMPLES * SAMPLES);
}

/** BITMAPINFOHEADER, the pixels from the bottom row up, then a mask that says nothing, since the pixels have alpha. */
function bitmap() {
  const header = Buffer.alloc(40);
  header.writeUInt32LE(40, 0);
  header.writeInt32LE(SIZE, 4);
  header.writeInt32LE(2 * SIZE, 8); // pixels and mask
  header.writeUInt16LE(1, 12); // planes
  header.writeUInt16LE(32, 14); // bits per pixel
  const pixels = Buffer.alloc(SIZE * SIZE * 4);
  for (let i = 0; i < SIZE * SIZE; i++) {
    const alpha = coverage(i % SIZE, SIZE - 1 - Math.floor(i / SIZE));
    pixels.set([...BLUE_GREEN_RED, Math.round(255 * alpha)], 4 * i);
  }
  return Buffer.concat([header, pixels, Buffer.alloc(SIZE * SIZE / 8)]);
}

export function icon() {
  const image = bitmap();
  const head = Buffer.alloc(22);
  head.writeUInt16LE(1, 2); // an icon
  head.writeUInt16LE(1, 4); // of one image
  head.set([SIZE, SIZE], 6);
  head.writeUInt16LE(1, 10);
  head.writeUInt16LE(32, 12);
  head.writeUInt32LE(image.length, 14);
  head.writeUInt32LE(head.length, 18); // where it begins
  return Buffer.concat([head, image]);
}
