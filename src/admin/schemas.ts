import * as v from 'valibot';
import { OPERATION_STATUSES, OPERATION_TYPES, POLICY_DECISIONS } from '../audit/record.ts';

const whole = v.pipe(v.number(), v.integer());
const time = v.pipe(v.string(), v.isoTimestamp());
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
/** Null if the operating system does not report the figure, as on macOS. */
const counter = v.nullable(count);

/** `GET /health`. */
export const HEALTH = v.strictObject({ status: v.string(), timestamp: time });

/** `GET /status`. */
export const STATUS = v.strictObject({
  status: v.string(),
  version: v.string(),
  uptime: v.string(),
  uptime_seconds: whole,
  pid: whole,
  profile: v.string(),
  mode: v.picklist(['readwrite', 'readonly']),
  debug: v.boolean(),
  reload: v.strictObject({
    in_progress: v.boolean(),
    draining: v.boolean(),
    active_requests: whole,
    last_reload: v.nullable(time),
    last_reload_status: v.nullable(v.picklist(['success', 'error'])),
    last_reload_error: v.nullable(v.string()),
  }),
  admin_socket: v.strictObject({ path: v.string() }),
});

/** `POST /reload`. */
export const RELOAD = v.strictObject({
  status: v.literal('reload_initiated'),
  timestamp: time,
  reload_request_id: v.string(),
  message: v.string(),
});

/** `GET /config`. */
export const CONFIG = v.strictObject({
  status: v.string(),
  project: v.string(),
  profile: v.string(),
  repository_path: v.string(),
  database_path: v.string(),
  readonly: v.boolean(),
  debug: v.boolean(),
  endpoints: v.strictObject({ tools: whole, prompts: whole, resources: whole }),
  features: v.strictObject({ sql_tools: v.boolean(), audit_logging: v.boolean(), telemetry: v.boolean() }),
  transport: v.string(),
});

/** One item of `GET /endpoints`. */
export const ENDPOINT = v.strictObject({
  path: v.string(),
  type: v.nullable(v.picklist(OPERATION_TYPES)),
  name: v.nullable(v.string()),
  description: v.nullable(v.string()),
  language: v.nullable(v.string()),
  enabled: v.boolean(),
  status: v.picklist(['ok', 'error']),
  error: v.nullable(v.string()),
});

/** `GET /endpoints`. */
export const ENDPOINTS = v.strictObject({ endpoints: v.array(ENDPOINT) });

/** `GET /system/info`. */
export const SYSTEM_INFO = v.strictObject({
  boot_time_seconds: whole,
  cpu_count_physical: whole,
  cpu_count_logical: whole,
  memory_total_bytes: whole,
});

/** `GET /system/cpu`. */
export const SYSTEM_CPU = v.strictObject({
  percent: v.number(),
  per_cpu_percent: v.array(v.number()),
  load_avg_1min: v.number(),
  load_avg_5min: v.number(),
  load_avg_15min: v.number(),
});

/** `GET /system/memory`. */
export const SYSTEM_MEMORY = v.strictObject({
  total_bytes: whole,
  available_bytes: whole,
  used_bytes: whole,
  free_bytes: whole,
  percent: v.number(),
  swap_total_bytes: counter,
  swap_used_bytes: counter,
  swap_free_bytes: counter,
  swap_percent: v.nullable(v.number()),
  svc_process_rss_bytes: whole,
  svc_process_vms_bytes: counter,
});

/** `GET /system/disk`. */
export const SYSTEM_DISK = v.strictObject({
  total_bytes: whole,
  used_bytes: whole,
  free_bytes: whole,
  percent: v.number(),
  read_bytes: counter,
  write_bytes: counter,
  read_count: counter,
  write_count: counter,
});

/** `GET /system/network`. */
export const SYSTEM_NETWORK = v.strictObject({
  bytes_sent: counter,
  bytes_recv: counter,
  packets_sent: counter,
  packets_recv: counter,
  errin: counter,
  errout: counter,
  dropin: counter,
  dropout: counter,
});

/** `GET /system/process`. */
export const SYSTEM_PROCESS = v.strictObject({
  pid: whole,
  status: v.string(),
  cpu_percent: v.number(),
  memory_rss_bytes: whole,
  memory_vms_bytes: counter,
  num_threads: counter,
  num_fds: counter,
});

/** The fields of the spec; records have more. */
const AUDIT_RECORD = v.looseObject({
  record_id: v.string(),
  timestamp: v.string(),
  schema_name: v.string(),
  schema_version: whole,
  operation_type: v.picklist(OPERATION_TYPES),
  operation_name: v.string(),
  operation_status: v.picklist(OPERATION_STATUSES),
  duration_ms: whole,
  caller_type: v.string(),
  user_id: v.nullable(v.string()),
  session_id: v.nullable(v.string()),
  trace_id: v.nullable(v.string()),
  policy_decision: v.picklist(POLICY_DECISIONS),
  policy_reason: v.nullable(v.string()),
  error_message: v.nullable(v.string()),
});

/** `GET /audit/query`. */
export const AUDIT_PAGE = v.strictObject({ records: v.array(AUDIT_RECORD), count: count });

/** `GET /audit/stats`. */
export const AUDIT_STATS = v.strictObject({
  total_records: count,
  by_type: v.strictObject({ tool: count, resource: count, prompt: count }),
  by_status: v.strictObject({ success: count, error: count }),
  by_policy: v.strictObject({ allow: count, deny: count, 'n/a': count }),
  earliest_timestamp: v.nullable(v.string()),
  latest_timestamp: v.nullable(v.string()),
});

/** `GET /activity`: the calls of the last hour, from memory. The page at `/` shows them. */
export const ACTIVITY = v.strictObject({
  minutes: v.array(
    v.strictObject({
      minute: time,
      calls: count,
      errors: count,
      denials: count,
      average_ms: v.number(),
      slowest_ms: v.number(),
    }),
  ),
  calls: v.array(
    v.strictObject({
      timestamp: time,
      type: v.picklist(OPERATION_TYPES),
      name: v.string(),
      status: v.picklist(OPERATION_STATUSES),
      error: v.nullable(v.string()),
      policy_decision: v.picklist(POLICY_DECISIONS),
      duration_ms: v.number(),
    }),
  ),
  /** Since the start, by endpoint; the percentiles are those of the latest 512 calls. */
  endpoints: v.array(
    v.strictObject({
      endpoint: v.string(),
      calls: count,
      errors: count,
      denials: count,
      rows: count,
      cache_hits: count,
      p50_ms: v.number(),
      p95_ms: v.number(),
      p99_ms: v.number(),
    }),
  ),
});

/** Every error (spec, "Errors"); `detail` in debug mode only. */
export const FAILURE = v.strictObject({
  error: v.picklist(['bad_request', 'access_denied', 'not_found', 'method_not_allowed', 'internal_error']),
  message: v.string(),
  detail: v.optional(v.string()),
});
