/** Receivers of notifications, and items to notify of. */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createNotifier, openReceivers } from '../../../src/config/notify/index.ts';
import type { ReceiverSettings } from '../../../src/config/notify/schema.ts';
import type { OpenItem } from '../../../src/protocol/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { testHttpServer } from '../../support/http-server.ts';

export interface Arrived {
  readonly id: string;
  readonly message: Readonly<Record<string, unknown>>;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly at: number;
}

/** Counts what arrives. @param answer default: 200 */
export async function openReceiver(answer: (response: ServerResponse, count: number) => void = (one) => one.end('ok')) {
  const arrived: Arrived[] = [];
  const server = await testHttpServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      const message = JSON.parse(body || '{}') as Arrived['message'];
      arrived.push({ id: String(message['id']), message, body, headers: request.headers, at: performance.now() });
      answer(response, arrived.length);
    });
  });
  return { ...server, arrived, ids: () => arrived.map(({ id }) => id) };
}

/** As a receiver checks it (docs/notifications.md). */
export function isSigned({ headers, body }: Arrived, secret: string): boolean {
  const [, time = '', signature = ''] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['planwright-signature'])) ?? [];
  const expected = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  return signature.length === expected.length && timingSafeEqual(Buffer.from(signature), Buffer.from(expected));
}

const HOUR = 3_600_000;
export const RUN = { workflowId: 'plan-1', firstRunId: '0196a000-0000-7000-8000-000000000001' };

/** An approval of a payment that has waited since now, for a day. */
export function approvalItem(more: object = {}): OpenItem {
  const now = Date.now();
  return {
    id: 'approval',
    kind: 'approval',
    workflowId: RUN.workflowId,
    digest: 'a'.repeat(64),
    revision: 1,
    text: 'approve the plan "Pay the rent"?',
    effects: [
      {
        node: 'node_1',
        key: 'rent',
        title: 'transfer: Pay',
        effect: 'at-most-once',
        values: [{ name: 'amount', text: '44-from-values' }],
        before: 'earlier-with-values',
      },
    ],
    effectCount: 1,
    since: new Date(now).toISOString(),
    deadline: new Date(now + 24 * HOUR).toISOString(),
    roles: ['payer'],
    nodes: ['node_1'],
    nodeCount: 1,
    send: { name: 'approve', input: { digest: 'aaaaaaaa', by: 'YOUR NAME' } },
    ...more,
  };
}

interface With {
  readonly store: Store;
  readonly entries: readonly ReceiverSettings[];
  readonly isEncrypted?: boolean;
  readonly takeOverMs?: number;
  readonly environment?: NodeJS.ProcessEnv;
  readonly goalOf?: () => Promise<string>;
}

export function notifierOf({ store, entries, isEncrypted = false, takeOverMs = 50, environment = {}, ...more }: With) {
  const notes: string[] = [];
  const notifier = createNotifier({
    ...{ store, isEncrypted, takeOverMs, namespace: 'default' },
    receivers: openReceivers(entries, import.meta.dirname, environment),
    goalOf: more.goalOf ?? (async () => 'Pay the rent'),
    note: (line) => notes.push(line),
    commandOf: ({ workflowId, roles = [] }) => `npx planwright approve ${workflowId} ${roles.join(' ')}`.trim(),
    runCommand: (workflowId) => `npx planwright status ${workflowId}`,
    runPath: (workflowId) => `/runs/${workflowId}`,
  });
  return { notifier, notes };
}
