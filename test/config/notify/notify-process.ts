/**
 * A process that watches an inbox as a worker does and notifies of it. Its runs are in a file: an item for each run.
 * A line of its output for each note of its log.
 */

import { readFileSync } from 'node:fs';
import { createNotifier, openReceivers } from '../../../src/config/notify/index.ts';
import { watchInbox } from '../../../src/config/own-worker/watch-inbox.ts';
import type { OpenItem } from '../../../src/protocol/index.ts';
import { openStore } from '../../../src/store/index.ts';

const { STORE = '', ITEMS = '', HOOK = '' } = process.env;
const items = () => JSON.parse(readFileSync(ITEMS, 'utf8')) as readonly OpenItem[];
const client = {
  connection: { withDeadline: (_at: number, call: () => Promise<unknown>) => call() },
  workflow: {
    async *list({ query }: { readonly query: string }) {
      if (query.includes('Failed')) return;
      for (const { workflowId } of items()) yield { type: 'planWorkflow', workflowId, taskQueue: 'q' };
    },
  },
};
const plans = {
  run: (id: string) => ({
    view: async () => ({
      status: { firstRunId: `first-${id}` },
      open: items().filter(({ workflowId }) => workflowId === id),
    }),
  }),
};
const notifier = createNotifier({
  ...{ store: openStore(STORE), namespace: 'default', isEncrypted: false, takeOverMs: 300 },
  receivers: openReceivers([{ name: 'ops', url: `${HOOK}/`, secret: { env: 'KEY' }, after: '1ms' }], '.'),
  goalOf: async () => 'a goal',
  note: console.log,
  ...{ commandOf: () => '', runCommand: () => '', runPath: () => '' },
});
const meter = { createGauge: () => ({ set: () => undefined }) };
watchInbox({ connected: { client, namespace: 'default' }, plans, taskQueue: 'q', meter, notifier } as never);
console.log('watches');
setInterval(() => undefined, 1000);
