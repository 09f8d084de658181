/** Whoever poses as a run, or as its worker, answers with anything: the client tells where it is no answer, and believes none of it. */

import type { Client } from '@temporalio/client';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ClientError } from '../../src/client/index.ts';
import { createRunHandle } from '../../src/client/create-run-handle.ts';
import { OWN_PARTS, type QueryName } from '../../src/protocol/index.ts';
import { resultsIn, runScope } from '../../src/store/index.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { renderView } from '../../src/workflows/views/views.ts';
import { asking } from '../workflows/run/asking-run.ts';

const PLACE = { address: '127.0.0.1:7233', namespace: 'default', taskQueue: 'planwright' };
/** As the server describes it. */
const DESCRIBED = { raw: { workflowExecutionInfo: { firstRunId: 'first' } } };

function runThatAnswers(answers: Partial<Record<QueryName, unknown>>, store = createMemoryStore().store) {
  const client = {
    workflow: {
      getHandle: () => ({
        workflowId: 'plan-1',
        client: { getHandle: () => ({ describe: () => Promise.resolve(DESCRIBED) }) },
        query: (name: QueryName) => Promise.resolve(answers[name]),
        startUpdate: () => Promise.resolve({ result: () => Promise.resolve(answers.reply) }),
      }),
    },
    connection: { withDeadline: (_at: number, call: () => Promise<unknown>) => call() },
    workflowService: { getSystemInfo: () => Promise.resolve({}) },
    options: { loadedDataConverter: { payloadCodecs: [] } },
  } as unknown as Client;
  return createRunHandle({ client, store, place: PLACE }, 'plan-1');
}
type Run = ReturnType<typeof runThatAnswers>;
const ASKED: Readonly<Record<string, (run: Run) => Promise<unknown>>> = {
  view: (run) => run.view(['status']),
  status: (run) => run.view(['status']),
  plan: (run) => run.view(['plan']),
  nodes: (run) => run.view(['nodes']),
  trace: (run) => run.view(['trace']),
  questions: (run) => run.view(['open']),
  reply: (run) => run.control({ action: 'pause', by: 'operator' }),
};

test.each(OWN_PARTS)('a run that answers as runs do is believed: %s', async (part) => {
  const view: unknown = JSON.parse(JSON.stringify(renderView(asking())));
  await expect(ASKED[part]!(runThatAnswers({ view }))).resolves.not.toThrow();
});

describe('a run that lies', () => {
  const whole = JSON.parse(JSON.stringify(renderView(asking()).status)) as Record<string, unknown>;
  test.each<[part: string, answer: unknown, place: string]>([
    ['status', undefined, '$.status: expected an object, got nothing'],
    ['status', { ...whole, waitingFor: 'NaN' }, '$.status.waitingFor: expected a whole number from 0'],
    ['status', { ...whole, counts: { total: 1 } }, '$.status.counts.pending: expected'],
    ['status', { ...whole, phase: 'constructor' }, '$.status.phase: expected "drafting" or'],
    ['status', { ...whole, startedAt: 'soon' }, '$.status.startedAt: expected a time'],
    [
      'status',
      { ...whole, children: [{ node: 'node_1', workflowId: 'w', waitingFor: -1 }] },
      '$.status.children[0].waitingFor',
    ],
    ['plan', { revision: 1, digest: 7, ref: '', text: '' }, '$.plan.digest: expected a text'],
    ['nodes', { nodes: [{ id: 'node_1', status: '__proto__', summary: '', executor: '' }] }, '$.nodes.nodes[0].status'],
    ['nodes', { nodes: {} }, '$.nodes.nodes: expected a list'],
    ['trace', { entries: [{ seq: '1', at: '', what: 'node', text: '' }], dropped: 0 }, '$.trace.entries[0].seq'],
    ['trace', { entries: [], dropped: 0, next: 0.5 }, '$.trace.next: expected a whole number'],
    ['reply', { ok: 'yes' }, '$.ok: expected true or false'],
    ['reply', undefined, '$.ok: expected true or false'],
    ['view', null, '$: expected an object'],
    ['view', { status: whole, rest: { parts: ['all'] } }, '$.rest.parts[0]: expected "status" or'],
    ['view', { plan: {} }, '$.plan.revision'],
  ])('%s', async (part, answer, place) => {
    const told = { reply: { [part]: answer }, view: { view: answer } }[part] ?? { view: { [part]: answer } };
    const asked = ASKED[part]!(runThatAnswers(told));
    await expect(asked).rejects.toMatchObject({
      code: 'unreadable',
      message: expect.stringContaining(place) as string,
    });
  });

  test('of rounds', async () => {
    const { store } = createMemoryStore();
    const own = resultsIn(store, runScope({ namespace: PLACE.namespace, workflowId: 'plan-1', firstRunId: 'first' }));
    const record = await own.put(Buffer.from(JSON.stringify({ round: 'one', line: 7 })));
    const notes = await own.put(Buffer.from(JSON.stringify({ record })));
    const rounds = runThatAnswers({}, store).view(['rounds'], { notes });
    await expect(rounds).rejects.toMatchObject({
      code: 'unreadable',
      message: expect.stringContaining('$.round') as string,
    });
  });

  test('with anything at all makes no client fall over', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(ASKED)),
        fc.jsonValue(),
        fc.jsonValue(),
        async (query, one, other) => {
          const answers = { view: one, reply: one, [query === 'reply' ? query : 'view']: { [query]: other } };
          const end = await ASKED[query]!(runThatAnswers(answers)).then(
            () => undefined,
            (error: unknown) => error,
          );
          if (end !== undefined) expect(end).toBeInstanceOf(ClientError);
        },
      ),
      { numRuns: 500 },
    );
  });
});
