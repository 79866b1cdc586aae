import type * as v from 'valibot';
import type { AuditQuery } from '../audit/query.ts';
import type {
  ACTIVITY,
  CONFIG,
  ENDPOINT,
  RELOAD,
  STATUS,
  SYSTEM_CPU,
  SYSTEM_DISK,
  SYSTEM_INFO,
  SYSTEM_MEMORY,
  SYSTEM_NETWORK,
  SYSTEM_PROCESS,
} from './schemas.ts';

export type Status = v.InferOutput<typeof STATUS>;
export type Config = v.InferOutput<typeof CONFIG>;
export type EndpointStatus = v.InferOutput<typeof ENDPOINT>;
export type Activity = v.InferOutput<typeof ACTIVITY>;

/** Figures of the machine and of the program that serves. */
export interface SystemFigures {
  info(): Promise<v.InferOutput<typeof SYSTEM_INFO>>;
  cpu(): Promise<v.InferOutput<typeof SYSTEM_CPU>>;
  memory(): Promise<v.InferOutput<typeof SYSTEM_MEMORY>>;
  disk(): Promise<v.InferOutput<typeof SYSTEM_DISK>>;
  network(): Promise<v.InferOutput<typeof SYSTEM_NETWORK>>;
  process(): Promise<v.InferOutput<typeof SYSTEM_PROCESS>>;
}

/** The state that the admin API shows. Every request reads it anew. */
export interface AdminSource {
  status(): Status;
  config(): Config;
  endpoints(): readonly EndpointStatus[];
  activity(): Activity;
  /** Starts a reload and returns its id. */
  reload(): v.InferOutput<typeof RELOAD>['reload_request_id'];
  readonly system: SystemFigures;
  /** Null if calls are not recorded. */
  readonly audit: AuditQuery | null;
}
