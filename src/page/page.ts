import type { Hono } from 'hono';
import type { ErrorCode, Plans } from '../operations/index.ts';
import type { createAccess, Env, PageVisit } from './access.ts';
import type { createInbox } from './inbox.ts';
import type { Frame } from './view/layout.ts';
import type { Watches } from './watch.ts';

export type App = Hono<Env>;
export type Status = 200 | 400 | 401 | 403 | 404 | 409 | 413 | 421 | 422 | 500 | 503 | 504;

export interface Page {
  readonly plans: Plans;
  readonly access: ReturnType<typeof createAccess>;
  readonly watches: Watches;
  readonly inbox: ReturnType<typeof createInbox>;
  show(visit: PageVisit, frame: Frame, status?: Status): Response;
  nameOf(visit: PageVisit): string | undefined;
}

/** HTTP statuses of the errors of operations. Any other error is 422. */
const STATUS: Readonly<Partial<Record<ErrorCode, Status>>> = {
  ...{ NO_RUN: 404, NO_NODE: 404, NO_RESULT: 404, NOT_IN_STORE: 404 },
  ...{ STALE: 409, RUN_CLOSED: 409, ALREADY_STARTED: 409 },
  ...{ NO_SERVER: 503, NO_WORKER: 503, NO_NAMESPACE: 503, INTERNAL: 500, STORE_FAULT: 500, TIMEOUT: 504 },
};

export function httpStatusOf(code: ErrorCode): Status {
  return STATUS[code] ?? 422;
}
