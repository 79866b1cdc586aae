import { join, resolve } from 'node:path';
import { findProjectRoot } from '../../adapters/node/project/project-files.ts';
import { SvcError } from '../../src/errors.ts';
import { toClientName, toShellWord } from '../../src/pages/connect.ts';
import { nearestName } from '../../src/types/nearest.ts';
import type { CommandInput, Run } from '../command.ts';
import { changeClientFile, readClientFile } from '../connect/client-file.ts';
import { CLIENTS, type DesktopClient, type Launch, stdioLaunch, type Tree } from '../connect/clients.ts';
import { type MergePlan, planMerge, type Server, toSnippet } from '../connect/merge.ts';
import { toAddress } from '../doctor/address.ts';
import { typedSvc } from '../io/npx-hint.ts';
import { styled } from '../io/output.ts';
import { checkSite, profileOf, siteOf } from '../project/project.ts';

/** `svc connect <client>`: prints the entry for a client's file, or merges it into that file. */
export const run: Run = async (input, output) => {
  const client = clientOf(input.args[0]);
  const { server, root } = await wantedOf(input, client);
  const file = fileOf(input, client);
  const facts = { status: 'ok', client: client.name, name: server.name, file, entry: { ...server.entry } };
  if (!input.flag('write') && !input.flag('dryRun')) {
    output.data({ ...facts, action: 'print', written: false }, () =>
      toText(server, file, sameOptions(input)),
    );
    return 0;
  }
  const planOf = (text: string | null) => {
    const plan = planMerge(file, text, server);
    if (!input.flag('force')) refuseForeign(plan, server, root);
    return plan;
  };
  const dryRun = input.flag('dryRun');
  const { plan, backup } = dryRun
    ? { plan: planOf(await readClientFile(file)), backup: null }
    : await changeClientFile(file, planOf);
  const document = { ...facts, action: plan.action, written: !dryRun && plan.action !== 'none', backup };
  output.data(document, () => toReport(file, plan, { server, backup, dryRun }));
  return 0;
};

function clientOf(name = ''): DesktopClient {
  const client = CLIENTS.find((one) => one.name === name);
  if (client) return client;
  const names = CLIENTS.map((one) => one.name);
  const near = nearestName(name, names);
  throw new SvcError(
    'usage',
    `${name} is not a client that svc knows.${near === null ? '' : ` Did you mean ${near}?`}\nChoose ${names.join(', ')}.`,
  );
}

/** The entry to write and the project it serves. */
interface Wanted {
  readonly server: Server;
  /** The project's folder; null if the server is known by its address only. */
  readonly root: string | null;
}

async function wantedOf(input: CommandInput, client: DesktopClient): Promise<Wanted> {
  const { url, root, project } = await placeOf(input);
  const launch: Launch =
    url === null ? stdioLaunch(root, profileOf(input)) : { kind: 'url', url: toAddress(url).mcpWithQuery };
  const name = toClientName(input.text('name') ?? project);
  return { server: { client, name, entry: client.entry(launch) }, root };
}

type ServerPlace = { readonly project: string } & (
  | { readonly url: null; readonly root: string }
  | { readonly url: string; readonly root: string | null }
);

/** Finds the server to enter. `--url` needs no project; inside one, the project's name becomes the server's name. */
async function placeOf(input: CommandInput): Promise<ServerPlace> {
  const url = input.text('url') ?? null;
  if (url !== null && (await findProjectRoot(process.cwd())) === null) {
    return { url, root: null, project: 'svc' };
  }
  const checked = await checkSite(input);
  const { root, site } = checked.project;
  if (url !== null) return { url, root, project: site?.project ?? 'svc' };
  return { url, root, project: siteOf(checked).project };
}

function fileOf(input: CommandInput, { name, user, project }: DesktopClient): string {
  const scope = input.text('scope') ?? 'user';
  const file = input.text('file');
  if (scope !== 'user' && scope !== 'project') {
    throw new SvcError('usage', `--scope ${scope} is not known. Choose user or project.`);
  }
  if (file !== undefined) return resolve(file);
  if (scope === 'user') return user({ platform: process.platform, env: process.env });
  if (project !== null) return join(process.cwd(), project);
  throw new SvcError('usage', `${name} has no project file. Leave out --scope.`);
}

/**
 * Refuses to replace an entry of the same name that leads to another server. The entry itself is not shown, because
 * it may hold secrets.
 */
function refuseForeign({ action, before }: MergePlan, { name, entry }: Server, root: string | null): void {
  if (before === null || action === 'none') return;
  const ours = [root, entry.url, entry.httpUrl].filter((mark) => typeof mark === 'string');
  const told = textsOf(before);
  if (ours.some((mark) => told.some((text) => withoutQuery(text) === withoutQuery(mark)))) return;
  const leads = targetOf(before);
  throw new SvcError(
    'config_invalid',
    `Another server already has the name ${name}${leads === undefined ? '' : `: ${leads}`}.
Nothing was changed. Choose another name with --name, or replace it with --force.`,
  );
}

/** Another query selects other tools of the same server. */
function withoutQuery(address: string): string {
  return address.replace(/\?.*$/s, '');
}

/** The program or the host of an entry. The rest of its address may be a credential. */
function targetOf({ command, url, httpUrl }: Tree): string | undefined {
  if (typeof command === 'string') return command;
  const address = String(url ?? httpUrl);
  return URL.canParse(address) ? new URL(address).origin : undefined;
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

/** The given options that decide which entry is written into which file, as typed. */
function sameOptions(input: CommandInput): string {
  return ['name', 'url', 'scope', 'file', 'profile']
    .flatMap((option) => {
      const value = input.text(option);
      return value === undefined ? [] : [` --${option} ${toShellWord(value)}`];
    })
    .join('');
}

function toText(server: Server, file: string, options: string): string {
  const { client } = server;
  return [
    styled('dim', `In ${file}:`),
    toSnippet(server),
    styled('dim', `Or let svc do it: ${typedSvc(process.cwd())} connect ${client.name}${options} --write`),
  ].join('\n');
}

interface Reported {
  readonly server: Server;
  readonly backup: string | null;
  readonly dryRun: boolean;
}

function toReport(file: string, { action }: MergePlan, { server, backup, dryRun }: Reported): string {
  if (action === 'none') return `${file} has ${styled('strong', server.name)} already; nothing changes.`;
  const verb = dryRun ? `would ${action}` : `${action}d`;
  return [
    `${styled('ok', verb)} ${styled('strong', file)}`,
    toSnippet(server),
    ...(backup === null ? [] : [styled('dim', `Copy of the old file: ${backup}`)]),
    ...(dryRun ? [] : [server.client.next]),
  ].join('\n');
}
