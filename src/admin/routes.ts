import type * as v from 'valibot';
import { AUDIT_PARAMETERS, parseAuditQuery } from '../audit/query.ts';
import { toStats } from '../audit/stats.ts';
import type { Clock } from '../ports.ts';
import {
  ACTIVITY,
  AUDIT_PAGE,
  AUDIT_STATS,
  CONFIG,
  ENDPOINTS,
  HEALTH,
  RELOAD,
  STATUS,
  SYSTEM_CPU,
  SYSTEM_DISK,
  SYSTEM_INFO,
  SYSTEM_MEMORY,
  SYSTEM_NETWORK,
  SYSTEM_PROCESS,
} from './schemas.ts';
import type { AdminSource } from './source.ts';

/** The data from which a route makes its response. */
interface RouteInput {
  readonly source: AdminSource;
  readonly clock: Clock;
  readonly query: URLSearchParams;
}

/** One operation of the admin API. The server and the OpenAPI document both use this record. */
export interface AdminRoute {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly parameters?: typeof AUDIT_PARAMETERS;
  readonly response: v.GenericSchema;
  readonly answer: (asked: RouteInput) => unknown;
}

const now = (clock: Clock) => new Date(clock.now()).toISOString();

/** Every operation of the spec ("Admin API"), then `/activity`, svc's own. */
export const ROUTES: readonly AdminRoute[] = [
  get('/health', 'Whether the process answers', HEALTH, ({ clock }) => ({
    status: 'ok',
    timestamp: now(clock),
  })),
  get('/status', 'The running version, its uptime and the result of the last reload', STATUS, ({ source }) =>
    source.status(),
  ),
  {
    method: 'post',
    path: '/reload',
    id: 'reload',
    summary: 'Resolves references anew and reopens the database',
    response: RELOAD,
    answer: ({ source, clock }) => ({
      status: 'reload_initiated',
      timestamp: now(clock),
      reload_request_id: source.reload(),
      message: 'The reload has started. Poll /status for its result.',
    }),
  },
  get('/config', 'The configuration without secrets', CONFIG, ({ source }) => source.config()),
  get(
    '/endpoints',
    'Every endpoint file, including files that cannot be loaded',
    ENDPOINTS,
    ({ source }) => ({
      endpoints: source.endpoints(),
    }),
  ),
  get('/activity', 'The calls of the last hour, by minute', ACTIVITY, ({ source }) => source.activity()),
  get('/system/info', 'The machine', SYSTEM_INFO, ({ source }) => source.system.info()),
  get('/system/cpu', 'The load of the processors', SYSTEM_CPU, ({ source }) => source.system.cpu()),
  get('/system/memory', 'Memory of the machine and of this process', SYSTEM_MEMORY, ({ source }) =>
    source.system.memory(),
  ),
  get('/system/disk', "The disk of the project's folder", SYSTEM_DISK, ({ source }) => source.system.disk()),
  get('/system/network', 'Network traffic since boot', SYSTEM_NETWORK, ({ source }) =>
    source.system.network(),
  ),
  get('/system/process', 'This process', SYSTEM_PROCESS, ({ source }) => source.system.process()),
  {
    ...get('/audit/query', 'Audit records, newest first', AUDIT_PAGE, queryAudit),
    parameters: AUDIT_PARAMETERS,
  },
  get('/audit/stats', 'Statistics of audit records', AUDIT_STATS, ({ source }) =>
    source.audit === null ? toStats([]) : source.audit.stats({}),
  ),
];

function get(
  path: string,
  summary: string,
  response: v.GenericSchema,
  answer: AdminRoute['answer'],
): AdminRoute {
  return { method: 'get', path, id: path.slice(1).replaceAll('/', '_'), summary, response, answer };
}

async function queryAudit({ source, query }: RouteInput): Promise<unknown> {
  const { filter, limit, offset } = parseAuditQuery(query);
  if (source.audit === null) return { records: [], count: 0 };
  const { records } = await source.audit.query(filter, { limit, offset });
  return { records, count: records.length };
}
