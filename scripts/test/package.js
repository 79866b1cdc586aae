import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEVELOPMENT_NODE, ROOT } from '../setup/root.js';
import { tried } from './tried.js';

/** Outside of the checkout, whose packages the installed one would find. */
const FOLDER = join(tmpdir(), `svc-package-${process.pid}`);
const PROJECT = join(FOLDER, 'project');
const GLOBAL = join(FOLDER, 'global');
/** The oldest Node that runs svc, as another package than the one of this checkout. */
const OLD_NODE = 'node@22.15.0';
/** With the optional parts that commands of the reference need. */
const WHOLE = join(FOLDER, 'whole');
const PARTS = ['@duckdb/node-api', '@duckdb/node-bindings', '@modelcontextprotocol/client', 'esbuild'];
const QUIET = ['--no-audit', '--no-fund'];

/**
 * Packs this checkout, and installs the package as users do: in a project, globally, and beside an old Node. Prints the
 * time, the size and the number of packages. Without a package registry, the folder is null, with the reason.
 */
export async function ensurePackage() {
  process.once('exit', () => rmSync(FOLDER, { recursive: true, force: true }));
  for (const folder of [PROJECT, GLOBAL, WHOLE, join(FOLDER, 'node22')]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  }
  const steps = [
    () => tried('npm', ['pack', '--silent', '--pack-destination', FOLDER], 'the package could not be packed'),
    () => measured(() => install(PROJECT, [packed()])),
    () => install(GLOBAL, ['--global', '--prefix', GLOBAL, packed()]),
    () => install(join(FOLDER, 'node22'), [OLD_NODE]),
    () => install(WHOLE, [packed(), ...parts()]),
  ];
  for (const step of steps) {
    const reason = await step();
    if (reason !== '') return { bin: null, reason };
  }
  return { bin: FOLDER, reason: '' };
}

function install(folder, args) {
  return tried('npm', ['install', ...QUIET, ...args], 'npm could not install the package', folder);
}

function parts() {
  const { peerDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return PARTS.map((name) => `${name}@${peerDependencies[name]}`);
}

const packed = () => join(FOLDER, readdirSync(FOLDER).find((file) => file.endsWith('.tgz')) ?? '');

/** Prints the size of an installation. `du` counts whole blocks, as the disk does. */
async function measured(run) {
  const begin = performance.now();
  const reason = await run();
  if (reason !== '') return reason;
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  const { packages } = JSON.parse(readFileSync(join(PROJECT, 'node_modules/.package-lock.json'), 'utf8'));
  const [megabytes] = execFileSync('du', ['-sm', join(PROJECT, 'node_modules')], { encoding: 'utf8' }).split(
    '\t',
  );
  const archive = (statSync(packed()).size / 2 ** 20).toFixed(1);
  const measures = {
    seconds: Number(seconds),
    megabytes: Number(megabytes),
    packages: Object.keys(packages).length,
  };
  writeFileSync(join(FOLDER, 'measures.json'), `${JSON.stringify(measures)}\n`);
  console.log(
    `npm install svc-kit: ${seconds} s, ${megabytes} MB in ${measures.packages} packages, from an archive of ${archive} MB (Node ${nodeVersion()})`,
  );
  return '';
}

function nodeVersion() {
  return execFileSync(DEVELOPMENT_NODE, ['--version'], { encoding: 'utf8' }).trim();
}
