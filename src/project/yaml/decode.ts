import type { SourceIssue } from '../finding.ts';
import { toPosition } from './position.ts';

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** A file's text with its encoding, or the reason why its bytes are not text. */
type Decoded = { readonly text: string; readonly encoding: Encoding } | { readonly problem: SourceIssue };

/** Characters that YAML forbids outside of escapes and that SQL never needs (YAML 1.2, 5.1). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

/** Decodes UTF-8, or UTF-16 with a byte order mark. The mark is removed. */
export function decodeText(bytes: Uint8Array): Decoded {
  const encoding = encodingOf(bytes);
  const text = new TextDecoder(encoding).decode(bytes);
  const wrong = isValid(bytes, encoding) ? -1 : Math.max(0, text.indexOf('\ufffd'));
  const control = text.search(CONTROL);
  if (wrong === -1 && control === -1) return { text, encoding };
  if (encoding === 'utf-8' && isWide(bytes)) {
    return refuse(text, 0, {
      code: 'encoding',
      message: 'This file is UTF-16, but has no byte order mark.',
      fix: 'Save the file as UTF-8.',
    });
  }
  return control === -1 || (wrong !== -1 && wrong < control)
    ? refuse(text, wrong, {
        code: 'encoding',
        message: `These bytes are not ${encoding.toUpperCase()}.`,
        fix: 'Save the file as UTF-8.',
      })
    : refuse(text, control, {
        code: 'control-character',
        message: `There is a control character here: ${nameOf(text, control)}.`,
        fix: 'Remove it, or write it as an escape such as "\\t" in double quotes; save the file as UTF-8.',
      });
}

/** Decodes as `decodeText` does, with U+FFFD for bytes that are wrong. */
export function decodeLoosely(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

function encodingOf([first, second]: Uint8Array): Encoding {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** Whether every second byte at the start is zero, as ASCII is in UTF-16. */
function isWide(bytes: Uint8Array): boolean {
  return /^(?:x0x0|0x0x)$/.test(
    Array.from(bytes.subarray(0, 4), (byte) => (byte === 0 ? '0' : 'x')).join(''),
  );
}

function isValid(bytes: Uint8Array, encoding: string): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function nameOf(text: string, offset: number): string {
  return `U+${text.charCodeAt(offset).toString(16).toUpperCase().padStart(4, '0')}`;
}

function refuse(text: string, offset: number, problem: Omit<SourceIssue, 'position'>): Decoded {
  return { problem: { ...problem, position: toPosition(text, offset) } };
}
