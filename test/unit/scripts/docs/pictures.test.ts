import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { FOLDER, listPictures } from '../../../../scripts/docs/pictures/list.ts';
import { readPng, sizeOfPng, toSmallPng } from '../../../../scripts/docs/pictures/png.ts';

const MOST_BYTES = 1_500_000;

describe('docs/images', () => {
  // Requirements: pictures.all
  it('has each picture in its width, and no other; together they are small', () => {
    expect(readdirSync(FOLDER).toSorted()).toEqual(listPictures().toSorted());
    let bytes = 0;
    for (const file of listPictures()) {
      const png = readFileSync(join(FOLDER, file));
      bytes += png.length;
      expect([file, sizeOfPng(png).width]).toEqual([file, Number(/(\d+)\.png$/.exec(file)?.[1])]);
    }
    expect(bytes).toBeLessThan(MOST_BYTES);
  });

  // Requirements: pictures.all
  it('shows something else in the dark than in the light', () => {
    for (const dark of listPictures().filter((file) => file.includes('-dark-'))) {
      const [night, day] = [dark, dark.replace('-dark-', '-light-')].map((file) =>
        brightnessOf(readFileSync(join(FOLDER, file))),
      );
      expect([dark, night && night < 90, day && day > 165]).toEqual([dark, true, true]);
    }
  });
});

/** The mean brightness of a picture, from 0 to 255. */
function brightnessOf(png: Uint8Array): number {
  const { pixels } = readPng(png);
  const sum = pixels.reduce((total, pixel) => total + ((pixel >> 8) & 255), 0);
  return sum / pixels.length;
}

/** A PNG of red, green and blue whose lines use a filter each (PNG, 9.2). */
function toPng(lines: readonly (readonly [filter: number, ...bytes: number[]])[]): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(2, 0);
  head.writeUInt32BE(lines.length, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  const data = deflateSync(Buffer.from(lines.flat()));
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

describe('a PNG', () => {
  it('is read with each filter, and written with a palette', () => {
    const png = toPng([
      [0, 1, 2, 3, 4, 5, 6],
      [1, 10, 20, 30, 1, 1, 1],
      [2, 1, 1, 1, 1, 1, 1],
      [3, 100, 100, 100, 0, 0, 0],
      [4, 1, 1, 1, 2, 2, 2],
    ]);
    const pixels = [
      [0x010203, 0x040506],
      [0x0a141e, 0x0b151f],
      [0x0b151f, 0x0c1620],
      [0x696e73, 0x3a4249],
      [0x6a6f74, 0x3c444b],
    ].flat();
    expect([...readPng(png).pixels]).toEqual(pixels);
    const small = readPng(toSmallPng(png));
    expect({ ...small, pixels: [...small.pixels] }).toEqual({ width: 2, height: 5, pixels });
  });

  it('of another form is refused', () => {
    const png = toPng([[0, 1, 2, 3, 4, 5, 6]]);
    png[24] = 16;
    expect(() => readPng(png)).toThrow('This form of PNG is not read.');
    expect(() => readPng(Buffer.from('GIF89a'))).toThrow('This is no PNG.');
  });
});
