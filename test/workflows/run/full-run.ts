/** Runs with much in them, for what is written down of a run. */

import type { Message, RunState, Replans, Account } from '../../../src/workflows/run/state.ts';
import type { Loop } from '../../../src/workflows/loop/loop.ts';
import type { OpenItem, Planning } from '../../../src/protocol/index.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { openNodes } from '../../../src/workflows/run/nodes/progress.ts';
import { receive } from '../../../src/workflows/run/talk/inbox.ts';
import {
  AT,
  bring,
  BROKE,
  DIGEST,
  editOf,
  executor,
  handle,
  later,
  openedRun,
  say,
  sayAndWait,
  shapeOf,
} from './make-run.ts';

export const BUSY_SLICE = shapeOf([[], [], [], [], [], [0], []], {
  executors: [executor('read'), executor('at-most-once')],
  executorOf: [0, 0, 1, 0, 0, 0, 0],
  after: { 4: [3] },
});

/** A run in which people have said much, and much is under way. */
export function busyRun(): Run {
  const run = openedRun(BUSY_SLICE, { onFailure: 'ask', approval: { rules: [{ count: 2 }] } });
  const digest = '3fa9c1d2';
  say(run, 'decide', { kind: 'approve-part', nodes: ['node_1', 'node_2', 'node_3', 'node_4'], digest, by: 'operator' });
  say(run, 'approve', { digest, by: 'reviewer', comment: '$' });
  bring(run, 0, handle('r0'), later(10));
  bring(run, 1, { asks: { text: 'which?', schema: { $: 1 }, default: JSON.parse('{"__proto__":1}') } }, later(20));
  bring(run, 2, { ...BROKE, status: 'uncertain' }, later(30));
  bring(run, 3, { ...BROKE, status: 'failed' }, later(40));
  say(run, 'control', { action: 'retry-node', node: 'node_4', by: 'operator' }, later(50));
  say(run, 'control', { action: 'cancel-node', node: 'node_4', by: 'operator' }, later(60));
  sayAndWait(run, 'decide', editOf(run, { plan: { $: 'map', of: [] } }), later(70));
  say(run, 'control', { action: 'skip-node', node: 'node_7', by: 'operator' }, later(80));
  receive(run, { name: 'control', payload: { action: 'pause', by: 'operator' }, at: later(90), update: 'u1' });
  return run;
}

/** A run in which every field has a value, as no single run has: what a new field of a run is added to. */
export function fullRun(): Run {
  const run = busyRun();
  const { state, execution } = run;
  const message: Required<Message> = {
    ...{ id: 7, name: 'control', payload: {}, at: AT, update: 'u7' },
    ...{ waitsFor: 'room', bytes: 2, signed: { signature: 's', until: 1 } },
  };
  const trouble = { severity: 'CRITICAL', message: 'broke' } as const;
  const usage = { calls: 1, inputTokens: 2, cachedInputTokens: 3, outputTokens: 4, cost: 5 };
  const loop: Required<Loop> = {
    task: { goal: 'g' },
    round: 1,
    maxRounds: 2,
    cost: 3,
    notes: 'ref',
    step: { round: 1, summary: 's', by: 'gate', ends: true },
    past: { done: { count: 0, last: [] }, failed: { count: 1, last: ['step_1: s'] } },
    results: { step_1: handle('s') },
    observation: { round: 1, status: 'failed', results: {}, message: 'm' },
    trouble,
    wrong: 0,
    attempts: 5,
    rejections: 0,
    result: handle('r'),
    outcome: 'aborted',
  };
  const planning: Required<Planning> = {
    goal: 'g',
    mode: 'auto',
    stage: 'write',
    notes: 'ref',
    classifications: 1,
    plans: 1,
    calls: 1,
    requests: 1,
    asked: 1,
    answers: [],
    waitsFor: 'planner.1',
    usage,
    unsaid: { mode: true, approval: true },
    trouble,
    anew: { digest: 'd', why: 'w', report: 't', lost: ['node_1'] },
  };
  const replans: Required<Replans> = {
    plans: 1,
    classifications: 1,
    asked: 1,
    notes: 'ref',
    made: 1,
    revision: 2,
    why: 'w',
    since: AT,
    endReason: 'o',
  };
  const item: OpenItem = {
    id: 'approval',
    kind: 'approval',
    workflowId: 'plan-1.node_1',
    digest: DIGEST,
    revision: 1,
    text: 't',
    since: AT,
    deadline: AT,
    nodes: ['node_1'],
    nodeCount: 1,
    send: { name: 'approve', input: { digest: '3fa9c1d2' } },
  };
  const sums = { tokens: 1, money: 2, steps: 3 };
  const account: Required<Account> = {
    ledger: {
      spent: sums,
      reserved: { w1: sums },
      reservedSum: sums,
      call: sums,
      grants: 1,
      unpriced: true,
      usesModel: ['a'],
    },
    wait: { since: AT, deadline: AT },
    exhausted: true,
  };
  const approval = {
    ...state.approval,
    wait: { since: AT, deadline: AT },
    fewest: 1,
    closed: { outcome: 'aborted', reason: 'r', killed: { by: 'operator', comment: 'stop' } },
  } as const;
  const all: Required<Omit<RunState, 'startedAt'>> = {
    ...state,
    approval,
    untrusted: 'node_4 (web page)',
    source: { document: {} },
    planning,
    replans,
    loop,
    children: {
      'plan-1.node_1': {
        task: 1,
        key: 'w',
        waitingFor: 1,
        items: [item],
        isStarted: true,
        first: 'f',
        out: {},
      },
    },
    parent: { key: 'w', out: {} },
    removedEffects: { k: { node: 'node_1', revision: 1, planShape: shapeOf([[]]), nodes: openNodes(1) } },
    looks: { at: AT, times: 1 },
    start: { signed: { token: 't', run: 'plan-1', at: AT }, by: 'operator' },
    editors: ['editor'],
    editTokens: ['a.b.c'],
    account,
    parentPaused: true,
    usage,
    made: 'fallback',
    projectFacts: 'project',
    backoff: { cause: 'fault', attempt: 1, since: AT, until: AT, reason: 'r', askAt: AT, deadline: AT },
    failure: { type: 'FATAL', message: 'm', details: [] },
    report: 'asked',
    endedAt: AT,
    startedEffects: { key: { what: 'w', where: 'r', hasCompleted: true } },
    unknownEffects: { 'revision 1, node_2': 'w' },
    questions: { ...state.questions },
    answered: { q: { by: 'operator', at: AT, ref: 'ref', node: 0, expired: true } },
    defaults: ['q'],
    inbox: [...state.inbox, message],
    pastReplies: { 'signature s': { reply: { ok: true, reply: 'r' }, until: 1, bytes: 2 } },
    keysReadAt: AT,
  };
  Object.assign(state, all);
  state.trace.stored = [{ ref: 'page', last: 1 }];
  if (execution === undefined) return run;
  execution.pages = ['page'];
  execution.retries[3] = 1;
  execution.repeatedBy[3] = ['token'];
  execution.backoffs[3] = { cause: 'version', attempt: 1, since: AT, until: AT, reason: 'r', askAt: AT };
  execution.progress.causes[5] = 4;
  return run;
}
