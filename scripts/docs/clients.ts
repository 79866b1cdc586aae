import { type ConverterRecord, type LibraryRecord, readRecords, STEPS } from '../../test/vendors/records.ts';

/** The page, relative to the root of the repository. */
export const CLIENTS_PAGE = 'docs/reference/clients.md';

/** Writes the page from the stored results of the last run. */
export function toClientsPage(): string {
  const { date, converters, libraries } = readRecords();
  return `# Clients and converters

<!-- Written by \`npm run test:clients -- --write\` and \`npx node scripts/docs/write.ts\`. -->

Vendors' own packages, run on ${date} without a network and without a model. \`npm run test:clients\` runs them again, and fails if one does something else than
this page says. CI runs the small ones.

## Converters of schemas

Each vendor's package converts the schemas of all tools in \`examples/\`, and 300 generated ones with nested types, lists, enums, formats, defaults, nulls and bounds.
"In the documented subset" is for schemas that only the vendor's server checks: we compare them with its documentation, and have not asked its server.

${table(['converter', 'version', 'examples', 'generated', 'in the documented subset', 'the most frequent reason'], converters.map(toConverterRow))}

- **\`google-genai\`** for Python fails on any boolean \`additionalProperties\`. Its address needs \`?schema_profile=gemini\`
  ([connect-clients.md](../how-to/connect-clients.md#schemas-for-googles-sdks)).
- **Strict mode** of OpenAI has no open objects, so a converter refuses a type with \`additionalProperties: true\` or without \`properties\`, or leaves the tool
  without strict mode. It makes every property required. \`default\`, \`uniqueItems\`, bounds of length and the format \`timestamp\` are not in the documented subset,
  and the converters leave most of them in. Use the plain mode for such tools; the server checks all of it in any case.

## Client libraries

Each library connects to \`examples/shop\` over each transport. It lists the tools, calls one, reads a resource, and gets a prompt of text and one with an
embedded resource. \`-\` means that the library has no such function.

${table(['library', 'version', 'transport', ...STEPS], libraries.flatMap(toLibraryRows))}

Claude Code, Gemini CLI and Codex are in [connect-clients.md](../how-to/connect-clients.md): \`npm run test:clients\` connects the real programs.
`;
}

function toConverterRow(record: ConverterRecord): readonly string[] {
  const { name, version, examples, generated, documented, reason } = record;
  return [
    name,
    version,
    examples,
    generated,
    documented ?? '',
    reason === null ? '' : `\`${reason.replaceAll('`', "'")}\``,
  ];
}

function toLibraryRows({ name, version, transports }: LibraryRecord): readonly (readonly string[])[] {
  return Object.entries(transports).map(([transport, steps]) => [
    name,
    version,
    transport,
    ...STEPS.map((step) => steps[step] ?? ''),
  ]);
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, heads.map(() => '---'), ...rows];
  return lines
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}
