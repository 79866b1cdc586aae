import { existsSync } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import { toClientName } from '../../src/http/page/connect.ts';
import { nearestName } from '../../src/types/nearest.ts';
import type { Run } from '../command.ts';
import { CLIENTS, type Client, type Launch } from '../connect/clients.ts';
import { stdioLaunch } from '../connect/launch.ts';
import { type Plan, planMerge, type Server } from '../connect/merge.ts';
import { toSnippet } from '../connect/snippet.ts';
import { toAddress } from '../doctor/address.ts';
import type { Input } from '../input.ts';
import { styled } from '../output.ts';
import { checkSite, siteOf } from '../project.ts';
import { writeWhole } from '../write.ts';

/** `svc connect <client>`: prints what a client needs to know, or merges it into the client's own file. */
export const run: Run = async (input, output) => {
  const client = clientOf(input.args[0]);
  const server = await serverOf(input, client);
  const file = fileOf(input, client);
  const facts = { status: 'ok', client: client.name, name: server.name, file, entry: { ...server.entry } };
  if (!input.flag('write') && !input.flag('dryRun')) {
    output.data({ ...facts, action: 'print', written: false }, () => toText(server, file));
    return 0;
  }
  const before = existsSync(file) ? await readFile(file, 'utf8') : null;
  const plan = planMerge(file, before, server);
  if (!input.flag('force')) refuseForeign(plan, server, await rootOf(input));
  const dryRun = input.flag('dryRun');
  const backup = dryRun ? null : await write(file, before, plan);
  const document = { ...facts, action: plan.action, written: !dryRun && plan.action !== 'none', backup };
  output.data(document, () => toReport(file, plan, { server, backup, dryRun }));
  return 0;
};

function clientOf(name = ''): Client {
  const client = CLIENTS.find((one) => one.name === name);
  if (client) return client;
  const names = CLIENTS.map((one) => one.name);
  const near = nearestName(name, names);
  throw new SvcError(
    'usage',
    `${name} is no client that svc knows.${near === null ? '' : ` Did you mean ${near}?`}\nChoose ${names.join(', ')}.`,
  );
}

/** With an address no project is needed, but a name is. */
async function serverOf(input: Input, client: Client): Promise<Server> {
  const url = input.text('url');
  const named = input.text('name');
  if (url !== undefined) {
    const launch: Launch = { kind: 'url', url: toAddress(url).mcp };
    const name =
      named ??
      (await rootOf(input)
        .then(() => projectOf(input))
        .catch(() => 'svc'));
    return { client, name: toClientName(name), entry: client.entry(launch) };
  }
  const root = await rootOf(input);
  const name = toClientName(named ?? (await projectOf(input)));
  return { client, name, entry: client.entry(stdioLaunch(root, input.text('profile'))) };
}

async function rootOf(input: Input): Promise<string> {
  return (await checkSite(input)).project.root;
}

async function projectOf(input: Input): Promise<string> {
  return siteOf(await checkSite(input)).project;
}

function fileOf(input: Input, { name, user, project }: Client): string {
  const scope = input.text('scope') ?? 'user';
  const file = input.text('file');
  if (file !== undefined) return resolve(file);
  if (scope === 'user') return user({ platform: process.platform, env: process.env });
  if (scope === 'project' && project !== null) return join(process.cwd(), project);
  throw new SvcError(
    'usage',
    scope === 'project'
      ? `${name} has no file of its own in a project. Leave --scope out.`
      : `--scope ${scope} is not known. Choose user or project.`,
  );
}

/** An entry of that name that leads elsewhere is somebody's. */
function refuseForeign({ action, before }: Plan, { name, entry }: Server, root: string | null): void {
  if (before === null || action === 'none') return;
  const text = JSON.stringify(before);
  const ours = [root, entry.url, entry.httpUrl].filter((mark) => typeof mark === 'string');
  if (ours.some((mark) => text.includes(JSON.stringify(mark).slice(1, -1)))) return;
  throw new SvcError(
    'config_invalid',
    `There is another server called ${name} already: ${text}\nNothing was changed. Choose another with --name, or replace it with --force.`,
  );
}

/** The file as it was is kept beside it. */
async function write(file: string, before: string | null, { action, text }: Plan): Promise<string | null> {
  if (action === 'none') return null;
  const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const backup = before === null ? null : `${file}.${stamp}.bak`;
  if (backup !== null) await copyFile(file, backup);
  await writeWhole(file, text, 0o600);
  return backup;
}

function toText(server: Server, file: string): string {
  const { client } = server;
  return [
    styled('dim', `In ${file}:`),
    toSnippet(server),
    styled('dim', `Or let svc do it: svc connect ${client.name} --write`),
  ].join('\n');
}

interface Reported {
  readonly server: Server;
  readonly backup: string | null;
  readonly dryRun: boolean;
}

function toReport(file: string, { action }: Plan, { server, backup, dryRun }: Reported): string {
  if (action === 'none') return `${file} has ${styled('strong', server.name)} already; nothing to change.`;
  const verb = dryRun ? `would ${action}` : `${action}d`;
  return [
    `${styled('ok', verb)} ${styled('strong', file)}`,
    toSnippet(server),
    ...(backup === null ? [] : [styled('dim', `As it was: ${backup}`)]),
    ...(dryRun ? [] : [server.client.next]),
  ].join('\n');
}
