import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { SvcError } from '../../src/errors.ts';
import { isObject } from '../../src/json.ts';
import type { Tree } from './clients.ts';

/** Reads a client's JSON file; comments and trailing commas are allowed. Throws config_invalid. */
export function readConfigJson(file: string, text: string): Tree {
  if (text.trim() === '') return {};
  const errors: ParseError[] = [];
  const tree: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split('\n').length;
    throw refusal(`${file}:${line}`, printParseErrorCode(error.error));
  }
  if (isObject(tree)) return tree as Tree;
  throw refusal(file, 'it is not a map');
}

/** The error for a file that we do not change. */
export function refusal(place: string, reason: string): SvcError {
  return new SvcError(
    'config_invalid',
    `${place} cannot be read: ${reason}. Nothing was changed.\nCorrect the file, and run the same again.`,
  );
}

/** Sets the value at a path. Comments and everything else stay in place. */
export function writeJson(text: string, path: readonly string[], value: Tree): string {
  const begun = text.trim() === '' ? '{}\n' : text;
  const tabs = /^\t/m.test(begun);
  const tabSize = /^( +)\S/m.exec(begun)?.[1]?.length ?? 2;
  const eol = begun.includes('\r\n') ? '\r\n' : '\n';
  const formattingOptions = { insertSpaces: !tabs, tabSize, eol };
  return applyEdits(begun, modify(begun, [...path], value, { formattingOptions }));
}
