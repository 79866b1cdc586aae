import { createModel } from '../../adapters/models/create.ts';
import { SvcError, toSvcError } from '../../src/errors.ts';
import type { Finding } from '../../src/project/finding.ts';
import type { SuiteReport } from '../../src/quality/evals/report.ts';
import type { RunnableSuite } from '../../src/quality/evals/run.ts';
import type { Suite, SuiteFile } from '../../src/quality/evals/suite.ts';
import type { Settings } from '../../src/settings/model.ts';
import { isPlainParameter } from '../../src/settings/references/concealment.ts';
import { nearestName } from '../../src/types/nearest.ts';

/** The settings and the `--model` option, which decide on the model. */
interface ModelChoice {
  readonly settings: Settings;
  readonly asked: string | undefined;
}

/** Finds the model of each suite. A suite that cannot run gets a report with the reason; the others run. */
export async function prepareSuites(
  files: readonly SuiteFile[],
  findings: readonly Finding[],
  choice: ModelChoice,
) {
  const runnable: RunnableSuite[] = [];
  const broken: SuiteReport[] = [];
  for (const { file, suite } of files) {
    const errors = findings.filter((one) => one.file === file && one.severity === 'error');
    if (suite === null || errors.length > 0) broken.push(toBroken(file, suite, toLines(errors)));
    else {
      try {
        runnable.push({ path: file, suite, ...(await modelFor(suite, file, choice)) });
      } catch (thrown) {
        const error = toSvcError(thrown);
        // An error of the command line concerns every suite.
        if (error.code === 'usage') throw error;
        broken.push(toBroken(file, suite, error.message));
      }
    }
  }
  return { runnable, broken };
}

function toLines(findings: readonly Finding[]): string {
  return findings
    .map(({ file, line, column, message, fix }) => `${file}:${line}:${column}: ${message} ${fix}`)
    .join('\n');
}

function toBroken(path: string, suite: Suite | null, error: string): SuiteReport {
  const usage = { input_tokens: 0, output_tokens: 0 };
  return { suite: suite?.name ?? path, path, status: 'error', error, tests: [], usage, time_ms: 0 };
}

/** Chooses `--model`, else the suite's own model, else the default. */
async function modelFor(suite: Suite, file: string, { settings, asked }: ModelChoice) {
  const { named, default: usual } = settings.models;
  const name = asked ?? suite.model ?? usual;
  const names = Object.keys(named);
  const known = names.length === 0 ? 'The user file has no `models`.' : `Models: ${names.join(', ')}`;
  if (name === null) {
    throw new SvcError(
      'config_invalid',
      `No model is named for ${suite.name}. ${known}\nName one with --model, \`model\` in ${file}, or \`models.default\` in the user file.`,
    );
  }
  const model = Object.hasOwn(named, name) ? named[name] : undefined;
  if (model === undefined) {
    const near = nearestName(name, names);
    const where = asked === undefined ? (suite.model === null ? 'models.default' : file) : '--model';
    const hint = near === null ? '' : ` Did you mean ${near}?`;
    throw new SvcError(
      asked === undefined ? 'config_invalid' : 'usage',
      `${where} names the model ${name}, which is not under \`models\` of the user file.${hint} ${known}`,
    );
  }
  return { model: await createModel(name, model), prices: model.prices };
}

/** Every secret of the configuration, to be removed from transcripts. */
export function transcriptSecrets({ models, secrets }: Settings): readonly string[] {
  const keys = Object.values(models.named).flatMap(({ api_key }) => api_key ?? []);
  return [...keys, ...secrets.flatMap(({ parameters }) => textsOf(parameters))];
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'object' && value !== null) {
    const hidden = Object.entries(value).filter(([name]) => !isPlainParameter(name));
    return hidden.flatMap(([, inner]) => textsOf(inner));
  }
  return typeof value === 'string' ? [value] : [];
}
