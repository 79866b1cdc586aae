import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { type ReadLine, readLines } from '../../../adapters/audit/read-lines.ts';
import { repairTail } from '../../../adapters/audit/repair.ts';
import { blockDigests, layoutOf } from '../../../adapters/duckdb-wasm/remote/blocks.ts';
import { openJwe } from '../../../adapters/node/auth/open-jwe.ts';
import { toDynamicClient } from '../../../src/auth/clients/dynamic.ts';
import { createScopes } from '../../../src/auth/scopes.ts';
import { isAnyManifest, parseManifest, toServedCatalog } from '../../../src/catalog/manifest.ts';
import { hashApiKey } from '../../../src/crypto/api-key.ts';
import { createKeyRing, type Purpose, parseKeys } from '../../../src/crypto/keys.ts';
import { createSealer } from '../../../src/crypto/seal.ts';
import { SvcError } from '../../../src/errors.ts';
import { type Door, enforce, toText } from '../door.ts';

const ISSUER = 'https://svc.example';
/** A key for tests, always the same, so that seeds stay what they are. */
const RING = createKeyRing(parseKeys([{ kid: 'fuzz', secret: Buffer.alloc(32, 7).toString('base64url') }]));
const NOW = Date.UTC(2026, 0, 1);
const PURPOSES: readonly Purpose[] = [
  'access',
  'refresh',
  'code',
  'tx',
  'consent',
  'sessions',
  'store',
  'ask',
  'result',
];
const CLAIMS = v.object({ sub: v.string() });

export const sealed: Door = {
  name: 'sealed',
  promise: 'A text opens only if it is letter by letter what was sealed, for its purpose alone.',
  seeds: [
    'TOKEN',
    'TOKEN.',
    'CODE',
    'eyJhbGciOiJkaXIifQ..AAAAAAAAAAAAAAAA.AA.AAAAAAAAAAAAAAAAAAAAAA',
    'dcr_ey.ey.x',
    'svc_key_x',
  ],
  words: [
    'TOKEN',
    'CODE',
    '.',
    '..',
    '=',
    '-',
    '_',
    'A',
    'ey',
    'dcr_',
    'svc_key_',
    '\u00e9',
    ' ',
    '\n',
    '{"alg":"none"}',
  ],
  quick: 5000,
  open: async () => {
    const sealers = [openJwe, undefined].map((opener) =>
      createSealer({ ring: RING, now: () => NOW, notBefore: null, ...(opener && { openJwe: opener }) }),
    );
    const [first] = sealers;
    const token = (await first?.seal('access', ISSUER, { sub: 'ada' }, 60)) ?? '';
    const code = (await first?.seal('code', ISSUER, { sub: 'ada' }, 60)) ?? '';
    const own = new Map<string, Purpose>([
      [token, 'access'],
      [code, 'code'],
    ]);
    const scopes = createScopes([], []);
    return {
      ask: async (input) => {
        const text = swapped(toText(input), token, code);
        for (const sealer of sealers) {
          for (const purpose of PURPOSES) {
            const opened = await sealer.open(purpose, ISSUER, text, CLAIMS);
            enforce((opened !== null) === (own.get(text) === purpose), `${purpose}: ${text} opened`);
          }
        }
        enforce(
          (await toDynamicClient({ ring: RING, scopes }, ISSUER, text)) === null,
          'a client was made up',
        );
        await hashApiKey(text);
      },
    };
  },
};

/** Damage of an input reaches into the token too: a digit after its name is the place of a changed letter. */
function swapped(text: string, token: string, code: string): string {
  const whole = text.replaceAll('TOKEN', token).replaceAll('CODE', code);
  const at = /^(\d{1,3})!/.exec(whole);
  if (at === null) return whole;
  const place = Number(at[1]);
  const rest = whole.slice(at[0].length);
  const letter = rest[place] === 'A' ? 'B' : 'A';
  return place < rest.length ? `${rest.slice(0, place)}${letter}${rest.slice(place + 1)}` : rest;
}

const RECORD =
  '{"id":1,"timestamp":"2026-01-01T00:00:00.000Z","operation_type":"tool","operation_status":"success","operation_name":"t"}';

export const audit: Door = {
  name: 'audit',
  promise:
    'A damaged audit file is repaired: whole lines stay, the torn one is set aside, and the next record is read.',
  seeds: [
    `${RECORD}\n${RECORD}\n`,
    `${RECORD}\n${RECORD.slice(0, 60)}`,
    `${RECORD}\n${RECORD}`,
    `\n\n${RECORD}\n{"id":2`,
  ],
  words: [
    '\n',
    '{',
    '}',
    '"',
    '\\',
    '\0',
    ' ',
    '\r',
    RECORD,
    '"timestamp":',
    '[',
    ']',
    'null',
    '\ufeff',
    '\u{1f600}',
  ],
  quick: 150,
  open: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fuzz-audit-'));
    const path = join(folder, 'log.jsonl');
    return {
      ask: async (input) => {
        await writeFile(path, input);
        await withoutPauses(() => repairTail(path));
        const repaired = await readFile(path);
        const whole = Buffer.from(input).lastIndexOf(0x0a) + 1;
        enforce(
          repaired.subarray(0, whole).equals(Buffer.from(input).subarray(0, whole)),
          'a whole line changed',
        );
        enforce(repaired.length === 0 || repaired.at(-1) === 0x0a, 'the last line has no end');
        await appendFile(path, `${RECORD}\n`);
        let last: ReadLine | undefined;
        for await (const lines of readLines(path)) last = lines.at(-1) ?? last;
        enforce(last?.text === RECORD && last.record !== null, 'the next record is lost');
        enforce(!(await withoutPauses(() => repairTail(path))), 'a sound file was repaired');
      },
      close: () => rm(folder, { recursive: true, force: true }),
    };
  },
};

/** The repair waits for a slow writer, and there is none. */
async function withoutPauses<T>(work: () => Promise<T>): Promise<T> {
  const original = globalThis.setTimeout;
  globalThis.setTimeout = ((done: () => void) => setImmediate(done)) as unknown as typeof setTimeout;
  try {
    return await work();
  } finally {
    globalThis.setTimeout = original;
  }
}

const MANIFEST = JSON.stringify({
  svc: 1,
  version: '0.2.0',
  hash: 'a'.repeat(64),
  database: { name: 'db', bytes: 1, sha256: 'b'.repeat(64) },
  profile: 'default',
  secrets: [],
  access: { signIn: null, public: true },
  audit: { enabled: false },
  catalog: { project: 'demo', hash: 'c', tools: {}, resources: {}, prompts: {} },
});

export const manifest: Door = {
  name: 'manifest',
  promise: 'A manifest is read as it was written, or refused as damaged.',
  seeds: [MANIFEST, '{"svc":2,"hash":"","catalog":{}}', '[]', 'null'],
  words: [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    'null',
    '"svc":',
    '1',
    '"hash":',
    '"access":',
    '"catalog":',
    '"__proto__":',
    '\ufeff',
  ],
  quick: 20000,
  open: async () => ({
    ask: async (input) => {
      const text = toText(input);
      isAnyManifest(text);
      try {
        const parsed = parseManifest(text);
        enforce(JSON.stringify(parsed) === JSON.stringify(JSON.parse(text)), 'it was read as something else');
        enforce(toServedCatalog(parsed).hash === parsed.hash, 'the catalog has another hash');
      } catch (thrown) {
        if (!(thrown instanceof SvcError) || thrown.code !== 'config_invalid') throw thrown;
      }
    },
  }),
};

export const blocks: Door = {
  name: 'blocks',
  promise: 'The blocks of a file cover it without gaps, and a block with other bytes is refused.',
  seeds: ['0 0 0 x', '12288 0 1 abc', '1000000 12287 2 bytes', '99999999 262144 300000 z'],
  words: ['0', '1', ' ', '12288', '262144', '274432', '4294967296', '-1', '1e3', '9007199254740991', 'x'],
  quick: 6000,
  open: async () => ({
    ask: async (input) => {
      const [size = 0, position = 0, length = 0] = toText(input).split(' ', 3).map(toCount);
      const layout = layoutOf(size);
      const held = layout.holding(position, length);
      const end = Math.min(size, position + length);
      const [first, last] = [held[0], held.at(-1)];
      enforce(held.length > 0 === end > position, 'bytes of the file have no block');
      if (first !== undefined && last !== undefined) {
        enforce(layout.range(first).start <= position && layout.range(last).end >= end, 'a block is missing');
        enforce(
          last < layout.count && held.every((block, index) => block === first + index),
          'blocks have gaps',
        );
        for (const block of [first, last])
          enforce(
            block === 0 || layout.range(block - 1).end === layout.range(block).start,
            'ranges have gaps',
          );
      }
      await checkDigests(input);
    },
  }),
};

/** A size in bytes up to 4 GB. */
const toCount = (text: string) => Math.abs(Number.parseInt(text, 10) || 0) % 4_000_000_000;

async function checkDigests(input: Uint8Array): Promise<void> {
  const bytes = new Uint8Array(input);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const digests = blockDigests(new Uint8Array([...new Uint8Array(32), ...digest]));
  await digests.check(1, bytes);
  for (const [block, other] of [
    [0, bytes],
    [2, bytes],
    [1, new Uint8Array([...bytes, 0])],
    [1, bytes.map((byte, index) => (index === 0 ? byte ^ 1 : byte))],
  ] as const) {
    if (bytes.length === 0 && block === 1 && other.length === 0) continue;
    const refused = await digests.check(block, other).then(
      () => false,
      () => true,
    );
    enforce(refused, `other bytes were taken for block ${block}`);
  }
}
