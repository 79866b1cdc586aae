/** A broken (or perhaps still valid) variant of a good file. */
export interface Mutant {
  readonly operator: string;
  readonly bytes: Uint8Array;
  /** The lines of which one must be named by a finding; null: the variant may be valid. */
  readonly broken: readonly number[] | null;
}

type Random = (below: number) => number;

interface Variant {
  readonly text: string | Uint8Array;
  readonly broken: readonly number[] | null;
}

type Operator = (lines: readonly string[], random: Random) => Variant | null;

/** Pseudo-random whole numbers, the same for the same seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const KEYWORD =
  /^( *(?:- )?)(svc|tool|resource|prompt|name|title|description|tags|icons|annotations|idempotentHint|enabled|scopes|confirm|limits|language|parameters|type|pattern|examples|properties|additionalProperties|items|required|return|source|file|code|policies|input|output|condition|action|reason|tests|arguments|user_context|result|result_contains|result_not_contains|result_length|result_contains_text|denied|error_contains|uri|mime_type|messages|role):(.*)$/;

interface KeyLine {
  readonly index: number;
  readonly lead: string;
  readonly key: string;
  readonly value: string;
  /** Nothing is indented below it. */
  readonly whole: boolean;
}

function keyLines(lines: readonly string[]): readonly KeyLine[] {
  return lines.flatMap((line, index) => {
    const found = KEYWORD.exec(line);
    if (!found) return [];
    const [, lead = '', key = '', value = ''] = found;
    const next = lines[index + 1] ?? '';
    const whole =
      value.trim() !== '' && value.trim() !== '|' && !next.startsWith(`${' '.repeat(lead.length)} `);
    return [{ index, lead, key, value, whole }];
  });
}

function pick<T>(from: readonly T[], random: Random): T | null {
  return from.length === 0 ? null : (from[random(from.length)] ?? null);
}

function replaced(lines: readonly string[], index: number, ...by: readonly string[]): string {
  return [...lines.slice(0, index), ...by, ...lines.slice(index + 1)].join('\n');
}

/** Replaces the value of one of some keys by what none of them takes. */
function valued(keys: RegExp, values: readonly string[]): Operator {
  return (lines, random) => {
    const line = pick(
      keyLines(lines).filter(({ key, whole }) => whole && keys.test(key)),
      random,
    );
    if (!line) return null;
    const text = replaced(lines, line.index, `${line.lead}${line.key}: ${pick(values, random)}`);
    return { text, broken: [line.index + 1] };
  };
}

function anywhere(insert: readonly (readonly number[])[], exact: boolean): Operator {
  return (lines, random) => {
    const bytes = new TextEncoder().encode(lines.join('\n'));
    const at = random(bytes.length);
    const line = bytes.slice(0, at).filter((byte) => byte === 10).length + 1;
    // Inside a character of several bytes the damage begins with the character, on the same line.
    const text = new Uint8Array([...bytes.slice(0, at), ...(pick(insert, random) ?? []), ...bytes.slice(at)]);
    return { text, broken: exact ? [line] : null };
  };
}

const OPERATORS: Readonly<Record<string, Operator>> = {
  'rename a key': (lines, random) => {
    const line = pick(keyLines(lines), random);
    if (!line) return null;
    const text = replaced(lines, line.index, `${line.lead}${line.key}_x:${line.value}`);
    return { text, broken: [line.index + 1] };
  },
  'repeat a key': (lines, random) => {
    const line = pick(
      keyLines(lines).filter(({ whole }) => whole),
      random,
    );
    if (!line) return null;
    const again = `${' '.repeat(line.lead.length)}${line.key}:${line.value}`;
    return { text: replaced(lines, line.index, lines[line.index] ?? '', again), broken: [line.index + 2] };
  },
  'delete what is required': (lines, random) => {
    const required = keyLines(lines).filter(
      ({ key, lead, whole }) =>
        whole &&
        !lead.includes('-') &&
        (key === 'type' ? lead.length > 4 : /^(name|uri|file|action)$/.test(key) && lead.length < 5),
    );
    const line = pick(
      required.filter(
        ({ key, lead }) => !(key === 'name' && lines.some((one) => one.startsWith(`${lead}uri:`))),
      ),
      random,
    );
    if (!line) return null;
    // The place of what is missing is the map it is missing from, and that begins above.
    const broken = Array.from({ length: line.index + 2 }, (_, index) => index + 1);
    return { text: replaced(lines, line.index), broken };
  },
  'a wrong type': valued(
    /^(name|title|description|pattern|mime_type|uri|file|condition|action|reason|confirm|language|role|result_contains_text)$/,
    ['[1, 2]', '{ a: 1 }', '7', 'true', '[]', '3.5'],
  ),
  'a list that is none': valued(/^(tags|scopes|examples|required|result_not_contains|arguments|icons)$/, [
    'text',
    '5',
    '{ a: b }',
    'false',
  ]),
  'a flag that is none': valued(/^(enabled|additionalProperties|idempotentHint|denied)$/, [
    'yes',
    '1',
    '"true"',
    '[true]',
    'True_',
  ]),
  'a huge number': valued(/^(limits|result_length)$/, [
    '{ rows: 1e999 }',
    '{ rows: 99999999999999999999999999 }',
    '{ timeout: 1e300 }',
    '{ bytes: -0.5 }',
    '{ rows: .nan }',
  ]),
  'deep nesting': valued(/^(title|description|name|tags)$/, [
    '['.repeat(300) + ']'.repeat(300),
    '{ a: '.repeat(150) + '}'.repeat(150),
    '['.repeat(5_000),
  ]),
  'an alias of nothing': valued(/^(title|description|name|tags|uri|file|type)$/, ['*nothing', '*x1 ']),
  'an alias of itself': valued(/^(title|description|tags)$/, ['&me [*me]', '&me { a: *me }']),
  'an alias bomb': valued(/^(title|description|tags)$/, [
    `[&a [x, x, x, x, x, x, x, x], ${[...'bcdefgh']
      .map((name, index) => `&${name} [${Array(8).fill(`*${'abcdefgh'[index]}`).join(', ')}]`)
      .join(', ')}]`,
  ]),
  'a control character': anywhere([[0], [1], [7], [8], [11], [12], [27], [127], [0xc2, 0x80]], true),
  'bytes that are no UTF-8': anywhere([[0xff], [0xc3, 0x28], [0x80], [0xed, 0xa0, 0x80], [0xf5]], true),
  'a second document': (lines, random) => {
    const line = pick(keyLines(lines).slice(1), random);
    if (!line) return null;
    const broken = Array.from({ length: line.index + 1 }, (_, index) => index + 1);
    return { text: replaced(lines, line.index, '---', lines[line.index] ?? ''), broken };
  },
  'a line more to the right': (lines, random) => {
    const index = random(lines.length);
    return { text: replaced(lines, index, ` ${lines[index]}`), broken: null };
  },
  'a line more to the left': (lines, random) => {
    const index = random(lines.length);
    return { text: replaced(lines, index, (lines[index] ?? '').replace(/^ {1,2}/, '')), broken: null };
  },
  'a tab for blanks': (lines, random) => {
    const index = random(lines.length);
    return { text: replaced(lines, index, (lines[index] ?? '').replace(/^ {2}/, '\t')), broken: null };
  },
  'a line less': (lines, random) => ({ text: replaced(lines, random(lines.length)), broken: null }),
  'two lines swapped': (lines, random) => {
    const index = random(lines.length - 1);
    const [one = '', other = ''] = lines.slice(index, index + 2);
    return {
      text: [...lines.slice(0, index), other, one, ...lines.slice(index + 2)].join('\n'),
      broken: null,
    };
  },
  'cut off': (lines, random) => {
    const bytes = new TextEncoder().encode(lines.join('\n'));
    return { text: bytes.slice(0, random(bytes.length)), broken: null };
  },
  'a byte flipped': (lines, random) => {
    const bytes = new TextEncoder().encode(lines.join('\n'));
    const at = random(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    return { text: bytes, broken: null };
  },
  'stray punctuation': anywhere(
    [...'"\'{}[]:,&*!|>%@`#?-'].map((character) => [character.charCodeAt(0)]),
    false,
  ),
  'nothing but dashes': (lines, random) => {
    const index = random(lines.length);
    return { text: replaced(lines, index, '- '.repeat(random(400) + 1)), broken: null };
  },
};

/** Variants of some files, in turn by every operator, the same for the same seed. */
export function mutants(texts: readonly string[], count: number, seed: number): readonly Mutant[] {
  const random = createRandom(seed);
  const encoder = new TextEncoder();
  const found: Mutant[] = [];
  for (let turn = 0; found.length < count; turn += 1) {
    const [operator, apply] = Object.entries(OPERATORS)[turn % Object.keys(OPERATORS).length] ?? [];
    const lines = (pick(texts, random) ?? '').split('\n');
    const variant = apply?.(lines, random);
    if (operator === undefined || !variant) continue;
    const { text, broken } = variant;
    found.push({ operator, broken, bytes: typeof text === 'string' ? encoder.encode(text) : text });
  }
  return found;
}
