import { crc32, deflateSync, inflateSync } from 'node:zlib';

/* PNG (W3C, third edition), as far as pictures of pages need it: 8 bits a channel, no interlace. */

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
const MOST_COLOURS = 64;

/** A picture: its pixels as 0xRRGGBB, row by row. */
interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint32Array;
}

/** Writes a picture again with a palette of at most 64 colours, which takes about a third. Rarer colours become the nearest frequent one. */
export function toSmallPng(png: Uint8Array): Buffer {
  const { width, height, pixels } = readPng(png);
  const palette = paletteOf(pixels);
  const nearest = createNearest(palette);
  const lines = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      lines[y * (width + 1) + 1 + x] = nearest(pixels[y * width + x] ?? 0);
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(lines, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function paletteOf(pixels: Uint32Array): readonly number[] {
  const counts = new Map<number, number>();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const frequent = [...counts].toSorted(([, one], [, other]) => other - one);
  return frequent.slice(0, MOST_COLOURS).map(([colour]) => colour);
}

/** Finds the index of the nearest colour of a palette. */
function createNearest(palette: readonly number[]): (colour: number) => number {
  const known = new Map(palette.map((colour, index) => [colour, index]));
  return (colour) => {
    const found = known.get(colour);
    if (found !== undefined) return found;
    let [best, least] = [0, Number.POSITIVE_INFINITY];
    for (const [index, candidate] of palette.entries()) {
      const distance = distanceOf(colour, candidate);
      if (distance < least) [best, least] = [index, distance];
    }
    known.set(colour, best);
    return best;
  };
}

function distanceOf(one: number, other: number): number {
  const apart = [16, 8, 0].map((shift) => ((one >> shift) & 255) - ((other >> shift) & 255));
  return apart.reduce((sum, difference) => sum + difference * difference, 0);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

interface Header {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly type: number;
  readonly interlaced: boolean;
}

/** The size of a PNG, in pixels. */
export function sizeOfPng(png: Uint8Array): { readonly width: number; readonly height: number } {
  const { width, height } = headerOf(Buffer.from(png));
  return { width, height };
}

function headerOf(png: Buffer): Header {
  if (!png.subarray(0, 8).equals(SIGNATURE)) throw new Error('This is no PNG.');
  return {
    width: png.readUInt32BE(16),
    height: png.readUInt32BE(20),
    depth: png[24] ?? 0,
    type: png[25] ?? 0,
    interlaced: png[28] !== 0,
  };
}

/** Bytes of a pixel by colour type: a palette, red green blue, and the same with alpha. */
const BYTES: { readonly [type: number]: number } = { 2: 3, 3: 1, 6: 4 };

/** Reads a PNG as browsers and `toSmallPng` write it. Alpha is left out. Throws for any other form. */
export function readPng(bytes: Uint8Array): Picture {
  const png = Buffer.from(bytes);
  const { width, height, depth, type, interlaced } = headerOf(png);
  const size = BYTES[type];
  if (size === undefined || depth !== 8 || interlaced) throw new Error('This form of PNG is not read.');
  const chunks = chunksOf(png);
  const data = inflateSync(Buffer.concat(chunks.flatMap(([name, part]) => (name === 'IDAT' ? [part] : []))));
  const palette = chunks.find(([name]) => name === 'PLTE')?.[1];
  const lines = unfilter(data, { stride: width * size, height, size });
  const pixels = new Uint32Array(width * height);
  for (let at = 0; at < pixels.length; at += 1) {
    const [from, place] = palette === undefined ? [lines, at * size] : [palette, (lines[at] ?? 0) * 3];
    pixels[at] = ((from[place] ?? 0) << 16) | ((from[place + 1] ?? 0) << 8) | (from[place + 2] ?? 0);
  }
  return { width, height, pixels };
}

/** The share of pixels that clearly differ between two pictures, from 0 to 1; 1 for pictures of different sizes. */
export function differenceOf(one: Uint8Array, other: Uint8Array): number {
  const [left, right] = [readPng(one), readPng(other)];
  if (left.width !== right.width || left.height !== right.height) return 1;
  let different = 0;
  for (const [at, pixel] of left.pixels.entries()) {
    if (distanceOf(pixel, right.pixels[at] ?? 0) > CLEAR * CLEAR) different += 1;
  }
  return different / left.pixels.length;
}

/** The distance of two colours that a person sees at once. */
const CLEAR = 64;

function chunksOf(png: Buffer): readonly (readonly [string, Buffer])[] {
  const chunks: [string, Buffer][] = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push([png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, at + 8 + length)]);
    at += length + 12;
  }
  return chunks;
}

interface Lines {
  readonly stride: number;
  readonly height: number;
  /** Bytes of a pixel. */
  readonly size: number;
}

/** Undoes the filter of each line (PNG, 9.2). */
function unfilter(data: Buffer, { stride, height, size }: Lines): Buffer {
  const out = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = data[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x += 1) {
      const left = x < size ? 0 : (out[y * stride + x - size] ?? 0);
      const up = y === 0 ? 0 : (out[(y - 1) * stride + x] ?? 0);
      const corner = x < size || y === 0 ? 0 : (out[(y - 1) * stride + x - size] ?? 0);
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      out[y * stride + x] = ((data[y * (stride + 1) + 1 + x] ?? 0) + guess) & 255;
    }
  }
  return out;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}
