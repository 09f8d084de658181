/** Liveness and readiness of a worker for orchestrators: a small server with two pages. */

import { Hono } from 'hono';
import { startHttp, type HttpOptions } from '../../page/http-server.ts';
import { messageOf } from '../../plan/text/index.ts';

/** What a worker depends on, as checks that reject with the problem. */
export interface Vitals {
  /** `RUNNING`, `DRAINING` ... of the SDK. */
  state(): string;
  readonly stands: Readonly<Record<string, () => Promise<unknown>>>;
}

/**
 * A check that takes longer has failed.
 * @bound a check of `/readyz`
 * @beyond it has failed
 */
const CHECK_MS = 5000;
/** An answer serves everybody who asks within this time: questions make no load of their own. */
const FRESH_MS = 2000;
// The server must not keep a failed worker's process alive.
const BOUNDS = { requestMs: 5000, connections: 100, unref: true };
const DEAD: readonly string[] = ['STOPPED', 'FAILED'];
const PAGES = ['/livez', '/readyz'];

/** @throws OperationError `PORT_IN_USE` */
export async function startHealth(
  address: Pick<HttpOptions, 'host' | 'port'>,
  { state, stands }: Vitals,
): Promise<{ close(): Promise<void> }> {
  let last: { readonly at: number; readonly found: Promise<Readonly<Record<string, string>>> } | undefined;

  async function examine(): Promise<Readonly<Record<string, string>>> {
    const found = await Promise.all(
      Object.entries(stands).map(async ([name, check]) => [name, await verdict(check)] as const),
    );
    return Object.fromEntries(found);
  }

  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    c.header('cache-control', 'no-store');
    c.header('connection', 'close');
  });
  app.get('/livez', (c) => {
    const worker = state();
    const ok = !DEAD.includes(worker);
    return c.json({ ok, worker }, ok ? 200 : 503);
  });
  app.get('/readyz', async (c) => {
    if (last === undefined || Date.now() - last.at > FRESH_MS) last = { at: Date.now(), found: examine() };
    const found = await last.found;
    const worker = state();
    const ok = worker === 'RUNNING' && Object.values(found).every((one) => one === 'ok');
    return c.json({ ok, worker, ...found }, ok ? 200 : 503);
  });
  app.notFound((c) => c.json({ ok: false, pages: PAGES }, PAGES.includes(c.req.path) ? 405 : 404));
  const { answer, close } = await startHttp({ ...BOUNDS, ...address, flag: '--health' });
  answer(app.fetch);
  return { close };
}

/** `ok`, or the problem. Never throws. */
export function verdict(check: () => Promise<unknown>): Promise<string> {
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(`no answer within ${CHECK_MS / 1000} s`), CHECK_MS);
    check()
      .then(
        () => resolve('ok'),
        (error: unknown) => resolve(messageOf(error)),
      )
      .finally(() => clearTimeout(late));
  });
}
