import { relative, resolve } from 'node:path';
import { thisArchitecture } from '../../deploy/native/architecture.ts';
import {
  choicesOf,
  refuseLosingData,
  refuseLosingUserFile,
  refuseTakenPort,
  staleBecause,
  startPreview,
} from '../../deploy/preview/preview.ts';
import { TARGETS, type TargetName } from '../../deploy/targets/targets.ts';
import { compileCatalog } from '../../src/catalog/compile.ts';
import { SvcError } from '../../src/errors.ts';
import { type CommandInput, checkPort, type Run } from '../command.ts';
import { type Output, styled } from '../io/output.ts';
import { engineOf, platformOf } from '../project/options.ts';
import { type CheckedProject, checkProject, databaseOf, siteOf } from '../project/project.ts';
import { howToConnect } from '../serve/banner.ts';
import { untilStopped } from '../serve/signals.ts';
import { buildChecked, outOf } from './build.ts';

/** `svc preview`: runs an artefact on this machine as its platform would, until the process is stopped. */
export const run: Run = async (input, output) => {
  const target = platformOf(input, 'preview');
  checkPort(input.text('port'));
  const checked = await checkProject(input);
  const { root } = checked.project;
  const { project } = siteOf(checked);
  const port = Number(input.text('port') ?? 8000);
  // Before the build, which may take minutes.
  await refuseTakenPort(port);
  const built = await makeFresh(checked, target, input, output);
  const folder = outOf(root, target, input);
  const stopped = untilStopped();
  const { env } = process;
  const stopping = new AbortController();
  void stopped.then(() => stopping.abort());
  const { signal: stop } = stopping;
  const options = { folder, port, root, env, onLine: output.note, stop };
  const preview = await startPreview(target, options).catch((thrown) => {
    if (stop.aborted) return null;
    throw thrown;
  });
  if (preview === null) return 0;
  const { url } = preview;
  output.data({ status: 'ok', target, project, url, folder, built }, () =>
    [
      `${styled('ok', 'previewing')} ${styled('strong', project)} for ${target} on ${styled('strong', url)}`,
      styled('dim', `  ${relative(process.cwd(), folder) || '.'}, ${built ? 'built now' : 'up to date'}`),
      '',
      ...howToConnect({ project, transport: 'http', url }),
    ].join('\n'),
  );
  const why = await Promise.race([stopped, preview.ended]);
  await preview.close();
  if (typeof why === 'string') throw new SvcError('internal', `The artefact ended unexpectedly. ${why}`);
  return 0;
};

/** Builds the artefact if it is missing or out of date. Returns whether it built. */
async function makeFresh(
  checked: CheckedProject,
  target: TargetName,
  input: CommandInput,
  output: Output,
): Promise<boolean> {
  const { root } = checked.project;
  const config = input.text('config');
  const engine = engineOf(input);
  const arch = engine === 'native' ? thisArchitecture() : undefined;
  const out = outOf(root, target, input);
  const sources = {
    root,
    profile: siteOf(checked).profile,
    target,
    engine: arch === undefined ? engine : `${engine} on ${arch}`,
    catalog: await compileCatalog(checked.project).then(
      ({ hash }) => hash,
      () => null,
    ),
    database: databaseOf(checked).path,
    config: config === undefined ? null : resolve(config),
  };
  const loads = input.list('load').length > 0 || input.flag('replace');
  const stale = () => output.progress('comparing the databases', () => staleBecause(out, sources));
  const why = loads ? '--load names files' : await stale();
  if (why === null) return false;
  if (config === undefined) await refuseLosingUserFile(out, why);
  await refuseLosingData(out, why, loads ? ['--load'] : []);
  output.note(
    `building for ${TARGETS[target].title}: ${why}. Run \`svc build\` before deploying: only it makes all checks`,
  );
  await buildChecked(checked, target, input, output, {
    local: true,
    // The folder may be deployed later, as it was meant to be.
    ...(await choicesOf(out, sources.profile)),
    ...(arch === undefined ? {} : { arch }),
  });
  return true;
}
