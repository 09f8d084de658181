/** Everything outside of this room sees a run and does not change it: only a turn does. */

import { describe, expect, test } from 'vitest';
import * as door from '../../../src/workflows/run/index.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { fullRun } from './full-run.ts';
import { AT, later, REFUSES, writtenOf } from './make-run.ts';

const READERS: Readonly<Record<string, (run: door.ReadonlyRun) => unknown>> = {
  allowanceFor: (run) => door.allowanceFor(run, 1),
  awaited: (run) => door.awaited(run, later(1)),
  detailsOf: (run) => door.detailsOf(run),
  handOver: (run) => door.handOver(run).pages,
  keepRequest: (run) => door.keepRequest(run),
  lastWord: (run) => door.lastWord(run),
  lookRequest: (run) => door.lookRequest(run),
  shareOfAgent: (run) => door.shareOfAgent(run, 1, undefined),
  mayBegin: (run) => door.mayBegin(run, 1),
  pressureOf: (run) => door.pressureOf(run, NONE, NONE),
  preview: (run) => door.preview(run, { name: 'control', payload: { action: 'pause', by: 'a' }, at: AT }, REFUSES),
  proofOf: (run) => door.proofOf(run, 1),
  reportRequest: (run) => door.reportRequest(run),
  resultOf: (run) => door.resultOf(run),
  viewOf: (run) => door.viewOf(run),
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
    const { dialogue, work, outbox }: door.ReadonlyRun = fullRun();
    // @ts-expect-error it is read-only
    dialogue.cancelled = true;
    // @ts-expect-error it is read-only
    dialogue.inbox.push({ id: 1, name: 'control', payload: {}, at: AT, waitsFor: 'turn' });
    // @ts-expect-error it is read-only
    delete work[1];
    // @ts-expect-error it is read-only
    outbox.begin = [];
  });
});
