/** What the planner, and people, are told of a plan that is made anew. */

import { describe, expect, test } from 'vitest';
import type { Execution } from '../../../src/workflows/run/in-memory.ts';
import { avoidableFailures, planProgressText, lostNodes, replanReason } from '../../../src/workflows/run/replan.ts';
import { fail, setStatus, succeed, waitForPerson } from '../../../src/workflows/run/nodes/progress.ts';
import { skip } from '../../../src/workflows/run/nodes/skip-and-reset.ts';
import { executor, handle, openedRun, shapeOf, wideShape } from './make-run.ts';

const gone = (message = 'gone', type = 'REPLANNING') => ({ type, message });
const long = (characters: number) => 'x'.repeat(characters);
const cut = (characters: number) => `${long(characters - 1)}…`;

function opened(nodes: number, over = {}): Execution {
  return openedRun(wideShape(nodes, over)).execution!;
}

function failing(nodes: number, message = 'gone'): Execution {
  const execution = opened(nodes);
  for (let node = 0; node < nodes; node += 1) fail(execution.progress, node, 'failed', gone(message));
  return execution;
}

test('every standing is told, failures first', () => {
  const execution = openedRun(shapeOf([[], [], [], [], [], [0], [], []])).execution!;
  const { progress } = execution;
  fail(progress, 0, 'failed', gone('no\nfile', 'CRITICAL'));
  fail(progress, 1, 'cancelled', gone('cancelled by operator', 'Cancelled'));
  succeed(progress, 2, handle('r'));
  setStatus(progress, 3, 'running');
  waitForPerson(progress, 4);
  skip(progress, 6, gone('skipped by operator', 'Skipped'));
  expect(planProgressText(execution).split('\n')).toEqual([
    'failed:',
    '- node_1, CRITICAL: no file',
    'cancelled by a person, and stays so:',
    '- node_2, Cancelled: cancelled by operator',
    'done; the result is kept where the node stays exactly as it is:',
    '- node_3, 3 records',
    'under way, and goes on where the node stays exactly as it is:',
    '- node_4',
    'asks a person, and goes on asking where the node stays exactly as it is:',
    '- node_5',
    'skipped, since what it needs has no result or a person said so:',
    '- node_6',
    '- node_7, Skipped: skipped by operator',
    'not begun:',
    '- node_8',
  ]);
});

test('nodes that would end so again are those that another plan cures, failed effects, and what a person has cancelled', () => {
  const executors = [executor('read'), executor('idempotent')];
  const execution = opened(5, { executors, executorOf: [0, 0, 1, 0, 0] });
  const { progress } = execution;
  fail(progress, 0, 'failed', gone());
  fail(progress, 1, 'failed', gone('broke', 'CRITICAL'));
  fail(progress, 2, 'failed', gone('broke', 'CRITICAL'));
  fail(progress, 3, 'cancelled', gone('', 'Cancelled'));
  expect(lostNodes(execution, [...avoidableFailures(progress)])).toEqual(['node_1', 'node_3', 'node_4']);
});

describe('is bounded', () => {
  test('in nodes', () => {
    const execution = failing(101);
    expect(planProgressText(execution).split('\n').slice(-2)).toEqual(['- node_100, REPLANNING: gone', '- and 1 more']);
    expect(lostNodes(execution, [...avoidableFailures(execution.progress)])).toHaveLength(100);
    expect(replanReason(execution, [...avoidableFailures(execution.progress)])).toMatch(/; and 100 more nodes$/);
  });

  test('in the words of a failure', () => {
    expect(planProgressText(failing(1, long(401)))).toContain(`: ${cut(400)}`);
    expect(replanReason(failing(1, long(241)), [0])).toBe(`node_1 (node 0) failed as REPLANNING: ${cut(240)}`);
  });

  test('in all', () => {
    expect(planProgressText(failing(100, long(400)))).toHaveLength(12_000);
  });
});
