import { existsSync, statSync } from 'node:fs';
import { absolutePath } from '../../adapters/node/absolute-path.ts';
import type { AuditFilter } from '../../src/audit/filter.ts';
import { OPERATION_STATUSES, OPERATION_TYPES, POLICY_DECISIONS } from '../../src/audit/record.ts';
import { toDuration, toMoment } from '../../src/audit/time-range.ts';
import { SvcError } from '../../src/errors.ts';
import type { AuditSettings } from '../../src/project/site-model.ts';
import { suggestName } from '../../src/types/nearest.ts';
import type { CommandInput } from '../command.ts';
import { checkSite, siteOf } from '../project/project.ts';

/** The audit log of the profile. */
export interface AuditLog {
  readonly profile: string;
  readonly settings: AuditSettings;
  /** An absolute path. */
  readonly path: string;
}

/** Finds the audit log of the profile without resolving secrets. */
export async function auditOf(input: CommandInput): Promise<AuditLog> {
  const checked = await checkSite(input);
  siteOf(checked);
  const { site, root } = checked.project;
  if (site === null) throw new SvcError('internal', 'a project without a site file passed its checks');
  const { profile, audit } = site;
  const path = absolutePath(root, audit.path);
  if (isFolder(path)) {
    throw new SvcError(
      'config_invalid',
      `The audit path ${audit.path} is a folder. Name a file in it under \`profiles.${profile}.audit.path\` of svc-site.yml.`,
    );
  }
  return { profile, settings: audit, path };
}

/** Whether there is a folder at a path. */
export function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

/** Converts the options of `svc log` to a filter. */
export function auditFilterOf(input: CommandInput, now: number): AuditFilter {
  const named = OPERATION_TYPES.filter((type) => input.text(type) !== undefined);
  const [type] = named;
  if (named.length > 1) {
    throw new SvcError(
      'usage',
      `${named.map((one) => `--${one}`).join(' and ')} exclude each other. Give only one.`,
    );
  }
  const asked = choiceOf(input, 'type', OPERATION_TYPES) ?? type;
  if (type !== undefined && asked !== type) {
    throw new SvcError('usage', `--type ${asked} and --${type} exclude each other. Leave out --type.`);
  }
  const [since, until] = [timeOf(input, 'since', now), timeOf(input, 'until', now)];
  if (since !== undefined && until !== undefined && since > until) {
    throw new SvcError('usage', `--since is after --until (${since}, ${until}). Exchange them.`);
  }
  const filter = {
    start_time: since,
    end_time: until,
    operation_type: asked,
    operation_name: type === undefined ? undefined : input.text(type),
    operation_status: choiceOf(input, 'status', OPERATION_STATUSES),
    policy_decision: choiceOf(input, 'policy', POLICY_DECISIONS),
    user_id: input.text('user'),
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

function timeOf(input: CommandInput, option: 'since' | 'until', now: number): string | undefined {
  const given = input.text(option);
  if (given === undefined) return undefined;
  const ago = toDuration(given);
  const moment =
    ago === null
      ? toMoment(given, option === 'since' ? 'start' : 'end')
      : new Date(Math.max(0, now - ago)).toISOString();
  if (moment !== null) return moment;
  throw new SvcError(
    'usage',
    `--${option} ${given} is not a time. Write 30m, 24h, 7d, 2026-08-01, or 2026-08-01T12:00:00Z; without a zone it is UTC.`,
  );
}

function choiceOf<const Values extends readonly string[]>(
  input: CommandInput,
  option: string,
  values: Values,
): Values[number] | undefined {
  const given = input.text(option);
  const known = values.find((value) => value === given);
  if (given === undefined || known !== undefined) return known;
  const hint = suggestName(given, values, `Choose ${values.join(', ')}.`);
  throw new SvcError('usage', `--${option} ${given} is not known. ${hint}`);
}
