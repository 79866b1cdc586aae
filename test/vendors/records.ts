import { readFileSync, writeFileSync } from 'node:fs';

/* The results of the last run, from which `scripts/docs/write.ts` makes docs/reference/clients.md. */

/** How many schemas a converter takes. */
export interface ConverterRecord {
  readonly name: string;
  readonly version: string;
  /** `<taken> of <all>`, for the tools of the examples, and for generated ones. */
  readonly examples: string;
  readonly generated: string;
  /** How many of the converted schemas are in the subset that the vendor documents; null if its own code checks. */
  readonly documented: string | null;
  /** The most frequent reason for a schema that is not taken or not in the subset; null if there is none. */
  readonly reason: string | null;
}

/** What a client library does over each transport: `yes`, `-` if it has no such function, or the reason. */
export interface LibraryRecord {
  readonly name: string;
  readonly version: string;
  readonly transports: { readonly [transport: string]: { readonly [step: string]: string } };
}

/** One run. */
export interface VendorRecords {
  readonly date: string;
  readonly converters: readonly ConverterRecord[];
  readonly libraries: readonly LibraryRecord[];
}

const FILE = new URL('./records.json', import.meta.url);

/** The steps of a library, in the order of the page. */
export const STEPS = ['list', 'call', 'read', 'prompt', 'prompt with a resource'] as const;

/** Reads the last stored run. */
export function readRecords(): VendorRecords {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

/** Replaces records of the same name, and adds new ones. */
export function storeRecords(fresh: Partial<VendorRecords>): void {
  const known = readRecords();
  const merged = {
    date: new Date().toISOString().slice(0, 10),
    converters: merge(known.converters, fresh.converters ?? []),
    libraries: merge(known.libraries, fresh.libraries ?? []),
  };
  writeFileSync(FILE, `${JSON.stringify(merged, null, 2)}\n`);
}

function merge<Row extends { readonly name: string }>(
  known: readonly Row[],
  fresh: readonly Row[],
): readonly Row[] {
  const names = new Set(fresh.map(({ name }) => name));
  return [...known.filter(({ name }) => !names.has(name)), ...fresh].toSorted((a, b) =>
    a.name.localeCompare(b.name, 'en'),
  );
}
