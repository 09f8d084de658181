/** Everything outside of this room sees a run and does not change it: only a turn does. */

import { describe, expect, test } from 'vitest';
import * as door from '../../../src/workflows/run/index.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { fullRun } from './full-run.ts';
import { AT, later, REFUSES, writtenOf } from './make-run.ts';

const READERS: Readonly<Record<string, (run: door.ReadonlyRun) => unknown>> = {
  allowanceOfWork: (run) => door.allowanceOfTask(run, 1),
  timerText: (run) => door.timerText(run, later(1)),
  runDetails: (run) => door.runDetails(run),
  makeHandOver: (run) => door.makeHandOver(run).pages,
  resultsToKeep: (run) => door.resultsToKeep(run),
  lastMessageToParent: (run) => door.lastMessageToParent(run),
  agentsToLookAt: (run) => door.agentsToLookAt(run),
  agentBudget: (run) => door.agentBudget(run, 1, undefined),
  permissionOf: (run) => door.permissionOf(run, 1),
  pressureIn: (run) => door.pressureIn(run, NONE, NONE),
  preview: (run) =>
    door.previewRefusal(run, { name: 'control', payload: { action: 'pause', by: 'a' }, at: AT }, REFUSES),
  approvalTokens: (run) => door.approvalTokens(run, 1),
  failureToReport: (run) => door.failureToReport(run),
  runResult: (run) => door.runResult(run),
  renderView: (run) => door.renderView(run),
};
const NONE = { events: 0, bytes: 0, signals: 0, updates: 0, isSuggested: false };

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (value instanceof Map || value instanceof Set) {
    for (const change of ['set', 'add', 'delete', 'clear'])
      Object.defineProperty(value, change, { value: () => expect.fail(`${change} of a run that is only seen`) });
  }
  for (const one of value instanceof Map ? value.values() : Object.values(value)) frozen(one);
  return Object.freeze(value);
}

describe('a run that is only seen', () => {
  test.each(Object.entries(READERS))('%s leaves it as it is', (_, read) => {
    const run: Run = fullRun();
    const before = writtenOf(run);
    read(frozen(run));
    expect(writtenOf(run)).toBe(before);
  });

  test('cannot be written to by its type', () => {
    const { state, tasks, outbox }: door.ReadonlyRun = fullRun();
    // @ts-expect-error it is read-only
    state.cancelled = true;
    // @ts-expect-error it is read-only
    delete tasks[1];
    // @ts-expect-error it is read-only
    outbox.begin = [];
  });
});
