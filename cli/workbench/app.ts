import type { LiveCalls } from '../../src/admin/live-calls.ts';
import type { AdminSource } from '../../src/admin/source.ts';
import type { Started } from '../serve/started.ts';
import type { ProjectFeed } from './events.ts';
import { answerPage } from './page.ts';
import { createWireCall } from './wire-call.ts';

/** A running server, as the workbench shows it. */
export interface WorkbenchDeps {
  readonly started: Started;
  readonly live: LiveCalls;
  readonly source: AdminSource;
  readonly feed: ProjectFeed;
  /** Whether the page may call as any user, run tests and change files: on `svc dev` only. */
  readonly authoring: boolean;
}

/** The workbench: a page, its script, and the requests of the page under `/api`. */
export interface Workbench {
  /** Null for a path that the workbench does not have. */
  answer(request: Request): Promise<Response | null>;
}

/** Makes the workbench of a running server. The parts that answer the page, such as the CEL engine, load when a page asks. */
export function createWorkbench(deps: WorkbenchDeps): Workbench {
  const { started, live } = deps;
  const send = createWireCall({ runtime: () => started.runtime, live, log: started.requests.log });
  return {
    answer: async (request) => {
      const { pathname } = new URL(request.url);
      const page = request.method === 'GET' || request.method === 'HEAD' ? answerPage(pathname) : null;
      if (page !== null || !pathname.startsWith('/api/')) return page;
      const { answerPageRequest } = await import('./routes.ts');
      return answerPageRequest({ ...deps, request, send });
    },
  };
}
