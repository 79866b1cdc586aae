import { setTimeout as delay } from 'node:timers/promises';
import { createFigures } from '../../adapters/admin-socket/system-figures.ts';
import { createAuditQuery } from '../../adapters/audit/query.ts';
import { absolutePath } from '../../adapters/node/absolute-path.ts';
import type { Activity, AdminSource, Config, EndpointStatus, Status } from '../../src/admin/source.ts';
import type { AuditQuery } from '../../src/audit/query.ts';
import { preventsServing } from '../../src/project/finding.ts';
import type { EndpointFile } from '../../src/project/model.ts';
import { VERSION } from '../../src/version.ts';
import type { CheckedProject } from '../project/project.ts';
import type { Started } from './started.ts';

const NO_ACTIVITY: Activity = { minutes: [], calls: [], endpoints: [] };

/** The state of a server as the admin API and the workbench show it. */
export function sourceOf(started: Started): AdminSource {
  const { reloader, watch } = started;
  const since = Date.now();
  return {
    status: () => statusOf(started, Math.floor((Date.now() - since) / 1000)),
    config: () => configOf(started),
    endpoints: () => {
      const { checked } = started;
      return checked.project.endpoints.map((file) => toEndpoint(file, checked));
    },
    activity: () => watch.recent?.activity() ?? NO_ACTIVITY,
    reload: () => reloader.request().id,
    system: createFigures(started.checked.project.root),
    audit: auditOf(started),
  };
}

/** A write that takes longer, for example to a slow disk, does not delay a query. */
const FLUSH_MS = 1_000;

/** Flushes the log before a query, so that the newest records are found. While it cannot be written, the file answers. */
function auditOf({ watch: { audit }, settings, checked }: Started): AuditQuery | null {
  if (audit === null) return null;
  const query = createAuditQuery(absolutePath(checked.project.root, settings.audit.path));
  const flushed = () => Promise.race([audit.flush().catch(() => {}), delay(FLUSH_MS, null, { ref: false })]);
  return {
    query: async (...asked) => {
      await flushed();
      return query.query(...asked);
    },
    stats: async (filter) => {
      await flushed();
      return query.stats(filter);
    },
    groups: query.groups,
  };
}

function statusOf({ settings, leases, reloader }: Started, seconds: number): Status {
  const { in_progress, ...last } = reloader.status();
  return {
    status: 'ok',
    version: VERSION,
    uptime: toUptime(seconds),
    uptime_seconds: seconds,
    pid: process.pid,
    profile: settings.profile,
    mode: leases.current.opened.readonly ? 'readonly' : 'readwrite',
    debug: settings.debug,
    reload: { in_progress, draining: leases.draining, active_requests: leases.active, ...last },
    admin_socket: { path: absolutePath('', settings.admin.socket) },
  };
}

function toUptime(seconds: number): string {
  const parts = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  const shown = parts.map((part, index) => `${part}${['d', 'h', 'm'][index]}`);
  const first = parts.findIndex((part) => part > 0);
  return [...(first < 0 ? [] : shown.slice(first)), `${seconds % 60}s`].join(' ');
}

function configOf({ settings, runtime, leases, databasePath, checked, watch }: Started): Config {
  const { tools, resources, prompts } = runtime.catalog;
  return {
    status: 'ok',
    project: settings.project,
    profile: settings.profile,
    repository_path: checked.project.root,
    database_path: databasePath,
    readonly: leases.current.opened.readonly,
    debug: settings.debug,
    endpoints: {
      tools: Object.keys(tools).length,
      prompts: Object.keys(prompts).length,
      resources: Object.keys(resources).length,
    },
    features: {
      sql_tools: checked.project.site?.sqlTools.enabled ?? false,
      audit_logging: watch.audit !== null,
      telemetry: settings.telemetry.enabled,
    },
    transport: settings.transport.provider,
  };
}

/** Describes an endpoint file. One that cannot be loaded has only its error (spec, `GET /endpoints`). */
function toEndpoint({ file, kind, endpoint }: EndpointFile, { findings }: CheckedProject): EndpointStatus {
  const errors = findings.filter((finding) => finding.file === file && preventsServing(finding));
  if (errors.length > 0 || endpoint === null) {
    const nothing = { type: null, name: null, description: null, language: null, enabled: false } as const;
    const error = errors.map(({ message }) => message).join(' ') || 'It cannot be loaded.';
    return { path: file, ...nothing, status: 'error', error };
  }
  return {
    path: file,
    type: kind,
    name: endpoint.name,
    description: endpoint.description ?? null,
    language: 'source' in endpoint ? endpoint.source.language : null,
    enabled: endpoint.enabled,
    status: 'ok',
    error: null,
  };
}
