import { Composer, type Document, Lexer, LineCounter, Parser } from 'yaml';
import { MOST_PROBLEMS, type SourceIssue } from '../finding.ts';
import { type ReadNodes, readNodes } from './nodes.ts';

/** A YAML file as plain data with positions. */
export type YamlFile = ReadNodes;

/** A parsed file, or every issue that prevents parsing. */
type ParsedYaml = { readonly yaml: YamlFile } | { readonly problems: readonly SourceIssue[] };

/** Twice the depth of the deepest type, plus its surroundings. */
const MAX_DEPTH = 100;

/** Parses one YAML 1.2 document. Never throws. */
export function parseYaml(text: string): ParsedYaml {
  const lines = new LineCounter();
  const document = compose(text, lines);
  if ('problem' in document) return { problems: [document.problem] };
  const place = (offset: number) => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const { errors, warnings } = document;
  if (errors.length + warnings.length > 0) {
    const problems = [...errors, ...warnings].slice(0, MOST_PROBLEMS + 1);
    return {
      problems: problems.map(({ code, message, pos: [start] }) => ({
        code: 'yaml-syntax',
        message: `This is not valid YAML: ${shorten(message.replaceAll('\n', ' ')).replace(/\.?$/, '.')}`,
        fix: fixFor(code),
        position: place(start),
      })),
    };
  }
  if (document.contents === null) return { problems: [empty()] };
  const read = readNodes(document, { text, place });
  return 'problems' in read ? read : { yaml: read };
}

/** Stops at deep nesting before any recursive code runs. */
function compose(text: string, lines: LineCounter): Document.Parsed | { problem: SourceIssue } {
  const parser = new Parser(lines.addNewLine);
  const composer = new Composer({ uniqueKeys: false, intAsBigInt: true });
  lines.addNewLine(0);
  const documents: Document.Parsed[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) documents.push(...composer.next(token));
    if (parser.stack.length > MAX_DEPTH) return { problem: tooDeep(lines.linePos(parser.offset)) };
  }
  for (const token of parser.end()) documents.push(...composer.next(token));
  documents.push(...composer.end(true, text.length));
  const [first, second] = documents;
  if (second) return { problem: several(lines.linePos(second.range[0])) };
  return first ?? { problem: empty() };
}

function tooDeep({ line, col }: { line: number; col: number }): SourceIssue {
  return {
    code: 'yaml-depth',
    message: `This is nested deeper than ${MAX_DEPTH} levels.`,
    fix: 'Flatten it, and check for a stray bracket or dash, which nests everything after it.',
    position: { line, column: col },
  };
}

function empty(): SourceIssue {
  return {
    code: 'file-empty',
    message: 'The file is empty.',
    fix: 'Add content, or delete the file.',
    position: { line: 1, column: 1 },
  };
}

function several({ line, col }: { line: number; col: number }): SourceIssue {
  return {
    code: 'yaml-documents',
    message: 'A second YAML document begins here, but a file must contain one only.',
    fix: 'Move it to a file of its own, or remove the `---` line.',
    position: { line, column: col },
  };
}

const FIXES: { readonly [code: string]: string } = {
  BAD_ALIAS:
    'Give an alias the name of an anchor (`&name`) that comes before it; put text that begins with * in quotes.',
  BAD_INDENT: 'Align the line with the lines around it, using spaces.',
  TAB_AS_INDENT: 'Indent with spaces, never with tabs.',
  BAD_SCALAR_START: 'Put the text in quotes.',
  BAD_DQ_ESCAPE: 'Double the backslash, or use single quotes.',
  BLOCK_AS_IMPLICIT_KEY: 'Put text that has a colon in quotes, or begin the map on a new line.',
  BLOCK_IN_FLOW:
    'Inside [] and {}, put a comma between the parts, and brackets around nested lists and maps.',
  KEY_OVER_1024_CHARS: 'Shorten the key.',
  MISSING_CHAR: 'Add the missing part; the cause may be on the line above.',
  MULTILINE_IMPLICIT_KEY: 'Check the line above for a missing colon, quote or bracket.',
  TAG_RESOLVE_FAILED: 'Remove the tag; put text that begins with ! in quotes.',
  UNEXPECTED_TOKEN: 'Put text with special characters in quotes, and check the brackets and the indentation.',
};

/** The most characters of a message of the YAML parser, which quotes tokens of any length. */
const MAX_MESSAGE = 200;

function shorten(message: string): string {
  return message.length <= MAX_MESSAGE ? message : `${message.slice(0, MAX_MESSAGE)}…`;
}

/** The usual fix for an error of the YAML parser. */
function fixFor(code: string): string {
  return FIXES[code] ?? 'Correct the line, or the one above it.';
}
