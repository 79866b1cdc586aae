import { type NotedFiles, noteFiles, watchFiles } from '../../adapters/node/project/watch-files.ts';
import type { Runtime } from '../../src/call/runtime.ts';
import { compileCatalog } from '../../src/catalog/compile.ts';
import type { AnyEntry, Catalog } from '../../src/catalog/model.ts';
import { SvcError, toSvcError } from '../../src/errors.ts';
import type { Changes, ListKind } from '../../src/mcp/changes.ts';
import { countOffers } from '../../src/mcp/instructions.ts';
import type { CommandInput } from '../command.ts';
import { toFindingLines } from '../io/findings.ts';
import type { Output } from '../io/output.ts';
import { type CheckedProject, checkProject } from '../project/project.ts';
import { checkPythonFiles } from '../project/python-checks.ts';
import { toOffersText } from './banner.ts';
import { servedPart, start } from './start.ts';
import type { Started } from './started.ts';

/** The parts of a running server that a change of files replaces. */
interface Current {
  checked: CheckedProject;
  /** The files as they are now, also if they cannot be served. */
  looked: CheckedProject;
  runtime: Runtime;
  /** The findings that were printed last, as JSON. */
  told: string;
}

/**
 * Serves a project and follows changes of its files. Always over HTTP with sessions, so that clients can be notified
 * of changes. `onRead` is called whenever the files were read again, with the hash of the catalog that is served then.
 */
export async function startDevelopment(
  input: CommandInput,
  output: Output,
  onRead: (hash: string) => void = () => {},
): Promise<Started> {
  const look = createLook(input);
  const started = await start(input, output, { check: look.check, follow: true, keepCalls: true });
  const { checked, runtime, changes } = started;
  const current = { checked, looked: checked, runtime, told: '[]' };
  await tellFindings(checked, current, output);
  const stopping = new AbortController();
  const read = async () => {
    const noted = await reread({ look, current, changes, output });
    onRead(current.runtime.catalog.hash);
    return noted;
  };
  const following = watchFiles({ first: look.noted(), read, signal: stopping.signal });
  const { transport } = started.settings;
  const http = { ...transport.http, stateless: false };
  return {
    ...started,
    settings: { ...started.settings, transport: { provider: 'streamable-http', http } },
    listsChange: true,
    get checked() {
      return current.checked;
    },
    get looked() {
      return current.looked;
    },
    get runtime() {
      return current.runtime;
    },
    async close() {
      stopping.abort();
      await following;
      await started.close();
    },
  };
}

/** Checks a project and remembers the files that the check read. */
interface Look {
  check(): Promise<CheckedProject>;
  noted(): NotedFiles;
}

function createLook(input: CommandInput): Look {
  let last: NotedFiles | null = null;
  return {
    check: () =>
      checkProject(input, (files, root) => {
        last = noteFiles(root, files);
        return last.files;
      }),
    noted() {
      if (last === null) throw new SvcError('internal', 'The project was not checked yet.');
      return last;
    },
  };
}

interface Reading {
  readonly look: Look;
  readonly current: Current;
  readonly changes: Changes;
  readonly output: Output;
}

/** Checks the project again and serves the result. If that fails, the older endpoints stay. */
async function reread({ look, current, changes, output }: Reading): Promise<NotedFiles | null> {
  const { catalog: before } = current.runtime;
  const checked = await look.check().catch((thrown) => {
    output.note(`${toSvcError(thrown).message}\nThe endpoints stay as they were.`);
    return null;
  });
  if (checked === null) return null;
  current.looked = checked;
  const news = await tellFindings(checked, current, output);
  try {
    const catalog = await compileCatalog(servedPart(checked));
    current.checked = checked;
    current.runtime = { ...current.runtime, catalog };
    // we do not report a change of a file that no endpoint uses
    if (news || catalog.hash !== before.hash) {
      output.note(`reloaded: ${toOffersText(countOffers(catalog))}`);
    }
    for (const kind of changedLists(before, catalog)) changes.notify(kind);
    if (JSON.stringify(before.resources) !== JSON.stringify(catalog.resources)) changes.notifyResource(null);
  } catch (thrown) {
    if (toSvcError(thrown).code !== 'project_invalid') output.note(toSvcError(thrown).message);
    output.note('The endpoints stay as they were.');
  }
  return look.noted();
}

/** Prints the findings if they are new. Returns whether they are. */
async function tellFindings(checked: CheckedProject, current: Current, output: Output): Promise<boolean> {
  const findings = [...checked.findings, ...(await checkPythonFiles(checked))];
  const found = JSON.stringify(findings);
  if (found === current.told) return false;
  if (findings.length > 0)
    output.note(toFindingLines(findings, { stream: process.stderr, root: checked.project.root }));
  current.told = found;
  return true;
}

/** The lists that clients see differently now. Changed SQL behind the same tool does not count. */
function changedLists(before: Catalog, after: Catalog): readonly ListKind[] {
  const shown = (catalog: Catalog, kind: ListKind) => {
    const entries: readonly AnyEntry[] = Object.values(catalog[kind]);
    return JSON.stringify([entries.map(shownFacts), kind === 'tools' && catalog.search]);
  };
  const kinds = ['tools', 'prompts', 'resources'] as const;
  return kinds.filter((kind) => shown(before, kind) !== shown(after, kind));
}

/** The facts about an endpoint on which the lists of some clients depend. */
function shownFacts(entry: AnyEntry) {
  const { wire, scopes } = entry;
  const view = entry.kind === 'tool' ? entry.view : null;
  return { wire, scopes, view, skill: entry.kind === 'resource' ? entry.skill : null };
}
