/** What can be watched of a worker: metrics, what waits for people, liveness and readiness. */

import { isIP } from 'node:net';
import { Runtime, type NativeConnection, type Worker } from '@temporalio/worker';
import { connectClient, createPlanClient } from '../../client/index.ts';
import { watchInbox, type InboxWatch } from '../../config/own-worker/index.ts';
import { hasInbox } from '../../worker/index.ts';
import { OperationError } from '../../operations/index.ts';
import type { Store } from '../../store/index.ts';
import type { WorkerFlags } from '../flags.ts';
import { startHealth } from './health.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface Watched {
  readonly metrics: Address | undefined;
  readonly health: Address | undefined;
}

interface Place {
  /** Undefined until it exists. */
  worker(): Worker | undefined;
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly store: Store;
  readonly target: { readonly address?: string };
  note(line: string): void;
}

export interface Watching {
  /** For the worker's record. */
  readonly places: { readonly metrics?: string; readonly health?: string };
  stop(): Promise<void>;
}

const SERVER_MS = 3000;
const LOOPBACK = '127.0.0.1';
const MOST_PORT = 65_535;

/** @throws OperationError USAGE that names the flag */
export function readWatched({ metrics, health }: Pick<Partial<WorkerFlags>, 'metrics' | 'health'>): Watched {
  return {
    metrics: metrics === undefined ? undefined : readAddress(metrics, '--metrics'),
    health: health === undefined ? undefined : readAddress(health, '--health'),
  };
}

/** @throws OperationError `PORT_IN_USE` */
export async function startMonitoring({ metrics, health }: Watched, place: Place): Promise<Watching> {
  const answering = health && (await startHealth(health, vitalsOf(place)));
  const inbox = metrics && (await openInbox(place));
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

/** Ready means: it polls, and the server and the store answer. */
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

async function openInbox({ connection, namespace, taskQueue, store, target, note }: Place) {
  if (!(await hasInbox(connection, namespace))) {
    note(
      'note: what waits for people is not among the metrics, since the namespace has no search attribute PlanWaitsFor (docs/approval.md)',
    );
    return undefined;
  }
  const connected = await connectClient(target);
  const plans = createPlanClient({ ...connected, store, taskQueue });
  const meter = Runtime.instance().metricMeter.withTags({ namespace, taskQueue });
  const inbox: InboxWatch = watchInbox({ connected, plans, taskQueue, meter });
  return {
    async close() {
      const stopped = inbox.stop();
      // Does not wait for a query that nobody answers.
      await connected.close();
      await stopped;
    },
  };
}

/**
 * `9464` and `localhost:9464` listen on this machine only, `0.0.0.0:9464` on all interfaces.
 * @throws OperationError USAGE that names the flag
 */
export function readAddress(typed: string, flag: string): Address {
  const [, named, digits = ''] = /^(?:\[?([^[\]]*?)\]?:)?(\d{1,5})$/.exec(typed.trim()) ?? [];
  const host = named === undefined || named === '' || named === 'localhost' ? LOOPBACK : named;
  const port = Number(digits);
  if (isIP(host) !== 0 && digits !== '' && port >= 1 && port <= MOST_PORT) return { host, port };
  throw new OperationError(
    'USAGE',
    `${flag}: expected a port, such as 9464, or an IP address with one, such as 0.0.0.0:9464, got "${typed}"; a port alone is ` +
      'open to this machine only',
  );
}

/** As typed: `[::1]:9464`. */
export function addressText({ host, port }: Address): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}
