import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { idOf, type Package, SELF } from './packages.ts';

const LICENSE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;
const RULE = '='.repeat(100);

interface Licensed {
  readonly name: string;
  readonly text: string;
}

/** Lists the licences of everything in an artefact. Each text appears once, below the names of its packages. */
export function toLicenses(packages: readonly Package[], engines: readonly Licensed[]): string {
  const own = packages.find(({ name }) => name === SELF);
  const apache = own === undefined ? '' : licenseOf(own);
  const licensed = packages.map((used) => ({
    name: `${idOf(used)} (${used.license ?? 'see its package'})`,
    // some packages name the Apache License without its text, so we take the text of our own copy
    text: licenseOf(used) || (used.license?.includes('Apache-2.0') ? apache : ''),
  }));
  const sections = [
    ...groupByText([...licensed, ...engines].map(({ name, text }) => ({ name, text: text.trim() }))),
  ].map(([text, names]) =>
    [RULE, ...names, RULE, '', text || 'The package contains no licence text.', ''].join('\n'),
  );
  return `${INTRODUCTION}\n\n${sections.join('\n')}`;
}

const INTRODUCTION =
  'The packages in this artefact and their licences. The same facts for programs: sbom.cdx.json.';

function licenseOf({ folder, text }: Package): string {
  if (text !== undefined) return text.trim();
  const files = readdirSync(folder)
    .filter((file) => LICENSE.test(file))
    .toSorted();
  return files
    .map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim())
    .join('\n\n');
}

function groupByText(licensed: readonly Licensed[]): ReadonlyMap<string, readonly string[]> {
  const groups = Map.groupBy(licensed, ({ text }) => text);
  return new Map([...groups].map(([text, all]) => [text, all.map(({ name }) => name)]));
}
