import type { Finding } from '../../../src/project/finding.ts';
import type { LoadedSettings } from '../../../src/settings/load.ts';
import { count } from '../../io/output.ts';
import type { CheckedProject } from '../../project/project.ts';
import { type Check, ok, problem } from '../check.ts';

const errorsOf = (findings: readonly Finding[]) => findings.filter(({ severity }) => severity === 'error');

/** Checks the project's files and the profile in use. */
export function checkFiles({ project, findings }: CheckedProject): Check {
  const errors = errorsOf(findings);
  if (project.site !== null && errors.length === 0) {
    const { site, endpoints } = project;
    return ok('project', `${site.project}, profile ${site.profile}, ${count(endpoints.length, 'endpoint')}`);
  }
  const [first] = errors;
  const place = first === undefined ? 'svc-site.yml' : `${first.file}:${first.line}`;
  const message = `${count(errors.length, 'error')}, the first at ${place}: ${first?.message.split('\n')[0]}`;
  return problem('project', message, first?.fix ?? 'Run `svc validate` to see all errors.');
}

/** Checks the configuration and its references. Shows names, never values. */
export function checkConfiguration({ findings }: LoadedSettings): readonly Check[] {
  const errors = errorsOf(findings);
  const lost = errors.filter(({ code }) => code === 'reference-unresolved');
  const others = errors.filter(({ code }) => code !== 'reference-unresolved');
  const configuration = others.length === 0 ? [ok('configuration', 'every value is valid')] : [];
  const references = lost.length === 0 ? [ok('references', 'every reference has a value')] : [];
  return [
    ...configuration,
    ...others.map((finding) => toProblem('configuration', finding)),
    // with a wrong file nobody knows what it refers to
    ...(others.length > 0 && lost.length === 0 ? [] : references),
    ...lost.map((finding) => toProblem('references', finding)),
  ];
}

function toProblem(name: string, { file, line, message, fix }: Finding): Check {
  const [first = ''] = message.split('\n');
  return problem(name, `${line === 0 ? file : `${file}:${line}`}: ${first}`, fix);
}
