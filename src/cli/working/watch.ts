import { isIP } from 'node:net';
import { Runtime, type NativeConnection, type Worker } from '@temporalio/worker';
import { connectClient, createPlanClient } from '../../client/index.ts';
import { DEFAULT_ADDRESS } from '../../client/connect-client.ts';
import { watchInbox, type InboxWatch } from '../../config/own-worker/index.ts';
import { hasInbox } from '../../worker/index.ts';
import { wrongUsage } from '../../operations/index.ts';
import type { Store } from '../../store/index.ts';
import type { WorkerFlags } from '../flags.ts';
import { Hono } from 'hono';
import { startHttp, type HttpOptions } from '../../page/http-server.ts';
import { messageOf, quoteForShell } from '../../plan/text/index.ts';
import { createNotifier, type Receiver } from '../../config/notify/index.ts';
import { itemCommand } from '../../operations/words/index.ts';
import { runPath } from '../../page/paths.ts';
import { DEFAULT_NAMESPACE, given } from '../../protocol/index.ts';
import type { EncryptionKeys } from '../../protocol/encryption/index.ts';
import { rootIdOf } from '../../store/index.ts';
import { connectionFlags } from '../typed-command.ts';

/** The state of a worker, and checks of what it needs. A failed check rejects with the problem. */
export interface Vitals {
  state(): string;
  readonly stands: Readonly<Record<string, () => Promise<unknown>>>;
}

const CHECK_MS = 5000;
/** How long the result of the checks is reused, in ms, so that frequent requests cost nothing. */
const FRESH_MS = 2000;
// `unref`: the server of these pages must not keep a failed worker's process alive.
const BOUNDS = { requestMs: 5000, connections: 100, unref: true };
const DEAD: readonly string[] = ['STOPPED', 'FAILED'];
const PAGES = ['/livez', '/readyz'];

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

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface Watched {
  readonly metrics: Address | undefined;
  readonly health: Address | undefined;
}

interface Place {
  worker(): Worker | undefined;
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly store: Store;
  readonly target: { readonly address?: string };
  readonly encryption: EncryptionKeys | undefined;
  readonly receivers: readonly Receiver[] | undefined;
  note(line: string): void;
}

export interface Watching {
  readonly places: { readonly metrics?: string; readonly health?: string };
  stop(): Promise<void>;
}

const SERVER_MS = 3000;
const LOOPBACK = '127.0.0.1';
const MOST_PORT = 65_535;

export function readWatched({ metrics, health }: Pick<Partial<WorkerFlags>, 'metrics' | 'health'>): Watched {
  return {
    metrics: metrics === undefined ? undefined : readAddress(metrics, '--metrics'),
    health: health === undefined ? undefined : readAddress(health, '--health'),
  };
}

export async function startMonitoring({ metrics, health }: Watched, place: Place): Promise<Watching> {
  const answering = health && (await startHealth(health, vitalsOf(place)));
  const inbox = metrics || place.receivers ? await openInbox(place) : undefined;
  return {
    places: {
      ...(metrics && { metrics: `http://${addressText(metrics)}/metrics` }),
      ...(health && { health: `http://${addressText(health)}/readyz` }),
    },
    async stop() {
      await answering?.close();
      await inbox?.close();
    },
  };
}

/** Readiness means that the worker polls, and that server and store answer. */
function vitalsOf({ worker, connection, store }: Place) {
  return {
    state: () => worker()?.getState() ?? 'INITIALIZED',
    stands: {
      polls: async () => {
        const { workflowPollerState, activityPollerState } = worker()?.getStatus() ?? {};
        if (workflowPollerState !== 'POLLING' || activityPollerState !== 'POLLING')
          throw new Error('it does not ask for work');
      },
      server: () => connection.withDeadline(Date.now() + SERVER_MS, () => connection.workflowService.getSystemInfo({})),
      store: async () => (store.probe === undefined ? store.get('probe/first') : store.probe()),
    },
  };
}

async function openInbox({ connection, namespace, taskQueue, store, target, encryption, receivers, note }: Place) {
  // Encrypted runs do not set the search attribute with which the server lists runs with open items.
  const isIndexed = encryption === undefined && (await hasInbox(connection, namespace));
  if (!isIndexed && receivers === undefined) {
    note(
      'note: what waits for people is not among the metrics, since the namespace has no search attribute PlanWaitsFor (docs/approval.md)',
    );
    return undefined;
  }
  const connected = await connectClient({ ...target, ...given({ encryption }) });
  const plans = createPlanClient({ ...connected, store, taskQueue });
  const meter = Runtime.instance().metricMeter.withTags({ namespace, taskQueue });
  const flags = connectionFlags({
    ...(connected.address !== DEFAULT_ADDRESS && { address: connected.address }),
    ...(namespace !== DEFAULT_NAMESPACE && { namespace }),
  });
  const typed = (command: string) => `npx planwright ${command}`;
  const notifier =
    receivers &&
    createNotifier({
      ...{ receivers, store, namespace, note, runPath, isEncrypted: encryption !== undefined },
      commandOf: (item) => itemCommand(item, typed, flags),
      runCommand: (workflowId) => `${typed(`status ${quoteForShell(workflowId)}`)}${flags}`,
      goalOf: ({ workflowId, firstRunId }) =>
        connected.client.workflow
          .getHandle(rootIdOf({ workflowId, firstRunId }), firstRunId)
          .describe()
          .then((run) => run.staticSummary()),
    });
  const inbox: InboxWatch = watchInbox({ connected, plans, taskQueue, meter, isIndexed, notifier });
  return {
    async close() {
      const stopped = inbox.stop();
      // Closing the connection ends queries that nobody answers.
      await connected.close();
      await stopped;
    },
  };
}

/**
 * Parses an address: `9464` and `localhost:9464` listen only on this machine, `0.0.0.0:9464` on all interfaces.
 * @throws OperationError USAGE that names the flag
 */
export function readAddress(typed: string, flag: string): Address {
  const [, named, digits = ''] = /^(?:\[?([^[\]]*?)\]?:)?(\d{1,5})$/.exec(typed.trim()) ?? [];
  const host = named === undefined || named === '' || named === 'localhost' ? LOOPBACK : named;
  const port = Number(digits);
  if (isIP(host) !== 0 && digits !== '' && port >= 1 && port <= MOST_PORT) return { host, port };
  throw wrongUsage(
    `${flag}: expected a port, such as 9464, or an IP address with one, such as 0.0.0.0:9464, got "${typed}"; a port alone is ` +
      'open to this machine only',
  );
}

export function addressText({ host, port }: Address): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}
