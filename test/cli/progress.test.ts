/** How a run stands after a silence. */

import { describe, expect, test } from 'vitest';
import type { AttemptView } from '../../src/client/index.ts';
import { NO_VIEW } from '../../src/client/follow.ts';
import type { NodeView, RunView } from '../../src/protocol/index.ts';
import { progressLines } from '../../src/cli/view/live.ts';
import { attemptNow, isInTrouble } from '../../src/operations/words/nodes.ts';
import { status } from '../client/follow/fake-run.ts';
import { columnsIn } from '../plan/lines/wide-texts.ts';

const NOW = Date.parse('2026-01-02T03:05:00.000Z');
/** Seconds from now. */
const at = (seconds: number) => new Date(NOW + 1000 * seconds).toISOString();

const attempt = (over: Partial<AttemptView> = {}): AttemptView => ({
  ...{ id: 'node_1', attempt: 1, state: 'is carried out', worker: '4711@host planwright/0a1b' },
  ...over,
});

describe('an attempt', () => {
  test.each<[says: string, isTrouble: boolean, one: Partial<AttemptView>]>([
    ['', false, {}],
    ['heartbeat 2 s ago', false, { heardAt: at(-2.5), overdueAt: at(7.5) }],
    ['heartbeat 40 s ago', false, { heardAt: at(-40) }],
    ['heartbeat 0 s ago', false, { heardAt: at(3), overdueAt: at(13) }],
    ['heartbeat overdue in 3 s', true, { heardAt: at(-7.5), overdueAt: at(2.5) }],
    ['heartbeat overdue since 2 s: goes to another worker', true, { heardAt: at(-12.5), overdueAt: at(-2.5) }],
    ['attempt 2, heartbeat 1 s ago', false, { attempt: 2, heardAt: at(-1), overdueAt: at(9) }],
    ['is asked to stop, heartbeat 1 s ago', false, { state: 'is asked to stop', heardAt: at(-1), overdueAt: at(9) }],
    ['is paused', false, { state: 'is paused', heardAt: at(-1), overdueAt: at(9) }],
    ['waits for a worker', false, { state: 'waits for a worker' }],
    ['attempt 3 waits for a worker', true, { state: 'waits for a worker', attempt: 3, nextAt: at(-1) }],
    [
      'attempt 3 in 4 s (no route)',
      true,
      { state: 'waits for a worker', attempt: 3, nextAt: at(3.2), lastFailure: 'no\nroute' },
    ],
  ])('%s', (says, isTrouble, one) => {
    expect(attemptNow(attempt(one), NOW).says).toBe(says);
    expect(isInTrouble(attempt(one), NOW)).toBe(isTrouble);
  });

  test('is named with the process and the host of its worker', () => {
    expect(attemptNow(attempt(), NOW).by).toBe('by 4711@host');
    expect(attemptNow(attempt({ worker: 'a\u001b[2Jb' }), NOW).by).toBe('by a\\u001b[2Jb');
  });
});

const node = (id: string, summary: string, over: Partial<NodeView> = {}): NodeView => ({
  ...{ id, status: 'running', summary, executor: 'capability note@1', scheduledAt: at(-14) },
  ...over,
});
const counts = { total: 9, succeeded: 3, running: 4, waiting: 1, pending: 1 };
const busy: RunView = {
  ...NO_VIEW,
  status: status({ counts, waitingFor: 2 }),
  nodes: [
    node('node_3', 'Find the beam', { status: 'succeeded', endedAt: at(-1) }),
    node('node_4', 'Move the stage to the sample position and wait until it stands', { key: 'position' }),
    node('node_5', 'Take a picture', { key: 'picture', scheduledAt: at(-3) }),
    node('node_6', 'Ask for the dose', { status: 'waiting' }),
    node('node_7', 'Write the log', { scheduledAt: at(-75) }),
    node('node_8', 'Measure the current'),
  ],
  attempts: [
    attempt({ id: 'node_4', heardAt: at(-1), overdueAt: at(9) }),
    attempt({ id: 'node_5', state: 'waits for a worker' }),
    attempt({ id: 'node_7', attempt: 2, heardAt: at(-8), overdueAt: at(2) }),
    attempt({
      id: 'node_8',
      attempt: 3,
      state: 'waits for a worker',
      nextAt: at(3.5),
      lastFailure: 'no route to host',
    }),
  ],
};

const lines = (view: RunView, columns = 80) => progressLines(view, columns, NOW).join('\n');

describe('a run after a silence', () => {
  test('has its counts, and what is under way with trouble first, a line each', () => {
    expect(lines(busy)).toBe(
      [
        'running, 55 s: 3 of 9 nodes done, 2 under way, 2 queued, waits for a person: 2',
        '  node_7 Write the log: 1 min 15 s, attempt 2, heartbeat overdue in 2 s, by 471…',
        '  node_8 Measure the current: 14 s, attempt 3 in 4 s (no route to host)',
        '  node_4 position Move the stage to the s…: 14 s, heartbeat 1 s ago, by 4711@ho…',
      ].join('\n'),
    );
  });

  test.each([40, 80, 120])('fits %d columns, in wide characters too, and is not cut without a limit', (width) => {
    const wide = '遺伝子の座標を読み取る'.repeat(4);
    const view = { ...busy, nodes: busy.nodes.map((one) => ({ ...one, summary: wide })) };
    expect(
      lines(view, width)
        .split('\n')
        .filter((line) => columnsIn(line) > width),
    ).toEqual([]);
    expect(lines(view, Infinity)).toContain(wide);
  });

  test.each<[head: string, over: Parameters<typeof status>[0]]>([
    ['drafting, 55 s', { phase: 'drafting' }],
    [
      'awaiting approval, 55 s: 0 of 2 nodes done, waits for a person: 1',
      { phase: 'awaiting-approval', waitingFor: 1, counts: { total: 2, pending: 2 } },
    ],
    ['paused, 55 s: 1 of 2 nodes done, 1 failed', { paused: true, counts: { total: 2, succeeded: 1, failed: 1 } }],
    ['', { phase: 'closed' }],
  ])('%s', (head, over) => {
    expect(lines({ ...NO_VIEW, status: status(over) }).split('\n')[0]).toBe(head);
  });

  test('where no worker answers the server tells on, and where no server does nobody', () => {
    const silent = lines({ ...busy, trouble: { code: 'no-worker', message: '' } });
    expect(silent).toMatch(/^no worker answers; running, 55 s: /);
    expect(silent).toContain('heartbeat overdue in 2 s');
    const away = lines({ ...busy, trouble: { code: 'no-server', message: '' } });
    expect(away).toMatch(/^no server answers; running, 55 s: /);
    expect(away).not.toContain('heartbeat');
  });

  test('names planning, the step and agents at work', () => {
    const planning = { stage: 'write', plan: 1, call: 2 } as const;
    expect(lines({ ...NO_VIEW, status: status({ phase: 'drafting', planning }) })).toBe(
      'drafting, 55 s\n  planning: write, plan 1, call 2',
    );
    const children = [{ node: 'node_2', workflowId: 'run-1.node_2', waitingFor: 1 }];
    const loop = { round: 3, maxRounds: 100, step: 'look up the genes' };
    expect(lines({ ...NO_VIEW, status: status({ children, loop }) })).toContain(
      '\n  round 3 of at most 100: look up the genes\n  agent of node_2: run run-1.node_2, waits for a person (1)',
    );
  });

  test('what others wrote cannot rule the terminal', () => {
    const evil = '\u001b[2J\n\u202e';
    const view: RunView = {
      ...busy,
      nodes: busy.nodes.map((one) => ({ ...one, summary: evil, ...(one.key !== undefined && { key: evil }) })),
      attempts: busy.attempts.map((one) => ({ ...one, worker: evil, lastFailure: evil })),
    };
    // oxlint-disable-next-line no-control-regex
    expect(lines(view, 120)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });
});
