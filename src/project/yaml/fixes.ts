const FIXES: { readonly [code: string]: string } = {
  BAD_ALIAS:
    'Give an alias the name of an anchor (`&name`) that comes before it; put text that begins with * in quotes.',
  BAD_INDENT: 'Align the line with the lines around it, using spaces.',
  TAB_AS_INDENT: 'Indent with spaces, never with tabs.',
  BAD_SCALAR_START: 'Put the text in quotes.',
  BAD_DQ_ESCAPE: 'Double the backslash, or use single quotes.',
  BLOCK_AS_IMPLICIT_KEY: 'Put text that has a colon in quotes, or begin the map on a new line.',
  BLOCK_IN_FLOW: 'Inside [] and {}, use brackets for nested lists and maps too.',
  KEY_OVER_1024_CHARS: 'Shorten the key.',
  MISSING_CHAR: 'Add the missing part; the cause may be on the line above.',
  MULTILINE_IMPLICIT_KEY: 'Check the line above for a missing colon, quote or bracket.',
  TAG_RESOLVE_FAILED: 'Remove the tag; put text that begins with ! in quotes.',
  UNEXPECTED_TOKEN: 'Put text with special characters in quotes, and check the brackets and the indentation.',
};

/** The usual fix for an error of the YAML parser. */
export function fixFor(code: string): string {
  return FIXES[code] ?? 'Correct the line, or the one above it.';
}
