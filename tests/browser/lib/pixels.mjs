// Looking at screenshots: PNG to pixels, and where in them something stands.
import { inflateSync } from "node:zlib";

const PATIENCE_MS = Number(process.env.POSED_PATIENCE_MS ?? 60000);
const CHANNELS = { 2: 3, 6: 4 };

function paeth(a, b, c) {
  const p = a + b - c, pa = Math.abs(p - a), pb = Math.abs(p - b), pc = Math.abs(p - c);
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/** {width, height, channels, data} of an 8-bit PNG in RGB or RGBA, not interlaced: what Chromium and cairo write. */
export function decodePNG(bytes) {
  const parts = [];
  let width, height, channels;
  for (let at = 8; at < bytes.length; ) {
    const size = bytes.readUInt32BE(at), kind = bytes.toString("latin1", at + 4, at + 8), body = bytes.subarray(at + 8, at + 8 + size);
    if (kind === "IHDR") {
      [width, height, channels] = [body.readUInt32BE(0), body.readUInt32BE(4), CHANNELS[body[9]]];
      if (body[8] !== 8 || !channels || body[12]) throw new Error("a PNG of another kind");
    }
    if (kind === "IDAT") parts.push(body);
    at += size + 12;
  }
  const packed = inflateSync(Buffer.concat(parts)), stride = width * channels;
  const data = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = packed[y * (stride + 1)], from = y * (stride + 1) + 1;
    for (let i = 0; i < stride; i++) {
      const left = i >= channels ? data[y * stride + i - channels] : 0;
      const above = y ? data[(y - 1) * stride + i] : 0;
      const corner = y && i >= channels ? data[(y - 1) * stride + i - channels] : 0;
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter];
      data[y * stride + i] = packed[from + i] + guess;
    }
  }
  return { width, height, channels, data };
}

/** The box of what differs from the colour of the corner: {left, top, right, bottom, width, height, count}; null: nothing. */
export function boxOf(image, tolerance = 24) {
  const { width, height, channels, data } = image;
  const box = { left: width, top: height, right: -1, bottom: -1, count: 0 };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * channels;
      if (Math.max(...[0, 1, 2].map((c) => Math.abs(data[at + c] - data[c]))) <= tolerance) continue;
      box.left = Math.min(box.left, x);
      box.right = Math.max(box.right, x);
      box.top = Math.min(box.top, y);
      box.bottom = Math.max(box.bottom, y);
      box.count++;
    }
  }
  return box.count ? { ...box, width: box.right - box.left + 1, height: box.bottom - box.top + 1 } : null;
}

/** How many pixels of two pictures of one size differ. */
export function difference(a, b, tolerance = 24) {
  let count = 0;
  for (let i = 0; i < a.data.length; i += a.channels)
    if ([0, 1, 2].some((c) => Math.abs(a.data[i + c] - b.data[i + c]) > tolerance)) count++;
  return count;
}

/** How many pixels of one of the next pictures differ from the first; looks until that are enough, or long enough. */
export async function movement(first, next, enough) {
  let most = 0;
  for (const end = Date.now() + PATIENCE_MS; most <= enough && Date.now() < end;) most = Math.max(most, difference(first, await next()));
  return most;
}
