/** Whether a worker lives and is ready, for whoever starts and replaces workers: a small server with two pages. */

import { createServer, type ServerResponse } from 'node:http';
import { messageOf } from '../../plan/text/index.ts';
import { OperationError } from '../../operations/index.ts';
import { addressText, type Address } from './read-address.ts';

/** The parts that a worker stands on, each with its check: resolves when it is fine, and rejects with what is wrong. */
export interface Vitals {
  /** `RUNNING`, `DRAINING` ... of the SDK. */
  state(): string;
  readonly stands: Readonly<Record<string, () => Promise<unknown>>>;
}

interface Verdict extends Readonly<Record<string, unknown>> {
  readonly ok: boolean;
}

export interface Health {
  close(): Promise<void>;
}

/** A check that takes longer has failed. */
const CHECK_MS = 5000;
/** An answer serves everybody who asks within this time: questions make no load of their own. */
const FRESH_MS = 2000;
const REQUEST_MS = 5000;
/** How much later than said a request is closed, at most. */
const LATE_MS = 1000;
const CONNECTIONS = 100;
const DEAD: readonly string[] = ['STOPPED', 'FAILED'];

/** @throws OperationError `PORT_IN_USE` */
export async function startHealth(address: Address, { state, stands }: Vitals): Promise<Health> {
  let last: { readonly at: number; readonly found: Promise<Readonly<Record<string, string>>> } | undefined;

  async function examine(): Promise<Readonly<Record<string, string>>> {
    const found = await Promise.all(
      Object.entries(stands).map(async ([name, check]) => [name, await verdict(check)] as const),
    );
    return Object.fromEntries(found);
  }

  async function ready(): Promise<Verdict> {
    if (last === undefined || Date.now() - last.at > FRESH_MS) last = { at: Date.now(), found: examine() };
    const found = await last.found;
    const worker = state();
    return { ok: worker === 'RUNNING' && Object.values(found).every((one) => one === 'ok'), worker, ...found };
  }

  const pages: Readonly<Record<string, () => Promise<Verdict>>> = {
    '/livez': async () => ({ ok: !DEAD.includes(state()), worker: state() }),
    '/readyz': ready,
  };
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, connectionsCheckingInterval: LATE_MS },
    (request, response) => {
      const page = pages[(request.url ?? '').split('?', 1)[0] ?? ''];
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (page === undefined || !isRead) answer(response, isRead ? 404 : 405, { ok: false, pages: Object.keys(pages) });
      else void page().then((told) => answer(response, told.ok ? 200 : 503, told));
    },
  );
  server.maxConnections = CONNECTIONS;
  // A worker that does not start must not be kept by it.
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  }).catch((error: Error) => {
    throw new OperationError('PORT_IN_USE', `--health ${addressText(address)}: ${error.message}; name another address`);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** `ok`, or what is wrong. Never throws. */
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

function answer(response: ServerResponse, status: number, record: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', connection: 'close' });
  response.end(`${JSON.stringify(record)}\n`);
}
