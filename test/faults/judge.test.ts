/** The judge itself: each rule sees what breaks it, and nothing in what does not. */

import { describe, expect, test } from 'vitest';
import { judge, type Case } from './judge.ts';
import type { Deed, Ended, Heard, Line, Opened, Said, WordKind } from './ledger.ts';

const RUN = 'run-1';
const deed = (kind: Deed['kind'], at: number, over: Partial<Deed> = {}): Deed => ({
  ...{ kind, at, pid: 7, run: RUN, activity: 'node_1', attempt: 1, name: 'a', key: 'key-a', effect: 'idempotent' },
  ...over,
});
let id = 0;
/** A word that is heard 10 ms after it is said, if it is. */
const word = (
  what: WordKind,
  at: number,
  names?: readonly string[],
  reply: Heard['kind'] | 'none' = 'heard',
): Line[] => {
  id += 1;
  const said: Said = { kind: 'said', at, id, run: RUN, word: what, ...(names !== undefined && { names }) };
  return reply === 'none' ? [said] : [said, { kind: reply, at: at + 10, id }];
};
const opened = (...names: string[]): Opened => ({ kind: 'opened', at: 0, run: RUN, names });
const ended = (over: Partial<Ended> = {}): Ended => ({
  ...{ kind: 'ended', at: 900, run: RUN, how: 'completed', outcome: 'done', reason: '' },
  ...over,
});
const approved = word('approve', 1);
const completion = (at: number, since = 0) => ({ run: RUN, activity: 'node_1', at, since });
const none = { completions: [], broken: [] };

const once = { effect: 'at-most-once' } as const;

const CASES: Readonly<Record<string, readonly [readonly Line[], readonly string[], Partial<Case>?]>> = {
  'work that is approved, done once and ended': [
    [opened('a'), ...approved, deed('begin', 20), deed('end', 30), ended()],
    [],
    { completions: [completion(40)] },
  ],
  'an attempt that died is repeated before anything was recorded': [
    [...approved, deed('begin', 20), deed('begin', 50, { attempt: 2 })],
    [],
    { completions: [completion(60)] },
  ],
  'work begins again after its completion was recorded': [
    [...approved, deed('begin', 20), deed('begin', 50, { attempt: 2 })],
    ['repeated'],
    { completions: [completion(40)] },
  ],
  'work of the same id in another run': [
    [deed('begin', 50, { effect: 'read' })],
    [],
    { completions: [{ ...completion(40), run: 'run-2' }] },
  ],
  'a repetition that a person asked for': [[...approved, deed('begin', 60)], [], { completions: [completion(80, 50)] }],
  'an at-most-once effect under one key, twice': [
    [...approved, deed('begin', 20, once), deed('begin', 30, { ...once, pid: 8 })],
    ['twice'],
  ],
  'an at-most-once effect under two keys': [
    [...approved, deed('begin', 20, once), deed('begin', 30, { ...once, key: 'key-b' })],
    [],
  ],
  'nobody approved it': [[deed('begin', 20)], ['unapproved']],
  'nobody approved a read': [[deed('begin', 20, { effect: 'read' })], []],
  'the approval was refused': [[...word('approve', 1, undefined, 'refused'), deed('begin', 20)], ['unapproved']],
  'the approval was for other work': [[...word('approve', 1, ['b']), deed('begin', 20)], ['unapproved']],
  'an approval that has not been answered yet': [[...word('approve', 1, ['a'], 'none'), deed('begin', 5)], []],
  'it begins while the stop is on its way': [[...approved, ...word('pause', 20), deed('begin', 25)], []],
  'it begins after the stop was heard': [[...approved, ...word('pause', 20), deed('begin', 2531)], ['stopped']],
  'it begins by a permission that was given before the stop was heard': [
    [...approved, ...word('pause', 20), deed('begin', 2529)],
    [],
  ],
  'a stop that was refused': [[...approved, ...word('withdraw', 20, undefined, 'refused'), deed('begin', 40)], []],
  'a stop that nobody heard': [[...approved, ...word('pause', 20, undefined, 'none'), deed('begin', 40)], []],
  'a stop of other work': [[...approved, ...word('cancel-node', 20, ['b']), deed('begin', 40)], []],
  'paused and resumed': [[...approved, ...word('pause', 20), ...word('resume', 40), deed('begin', 45)], []],
  'withdrawn and paused, and only resumed': [
    [...approved, ...word('withdraw', 20), ...word('pause', 22), ...word('resume', 40), deed('begin', 2560)],
    ['stopped'],
  ],
  'withdrawn and approved again': [
    [...approved, ...word('withdraw', 20), ...word('approve', 40), deed('begin', 60)],
    [],
  ],
  'a run that does not end': [[opened()], ['wedged']],
  'a failed run without a reason': [[opened(), ended({ how: 'failed', outcome: 'PlanFailed' })], ['wedged']],
  'a failed run with its reason': [
    [opened('a'), ended({ how: 'failed', outcome: 'PlanFailed', reason: 'it broke' })],
    [],
  ],
  'a done run of which work was never carried out': [
    [opened('a', 'b'), ...approved, deed('end', 30), ended()],
    ['lost'],
  ],
  'a wait for the end that did not outlast an outage': [
    [opened(), { kind: 'gave-up', at: 5, run: RUN, text: 'no server' }, ended()],
    ['gave-up'],
  ],
  'a history that does not replay': [[], ['replay'], { broken: [{ run: RUN, how: 'no-replay', text: 'no' }] }],
};

describe('the judge finds', () => {
  test.each(Object.entries(CASES))('%s', (_, [lines, rules, more]) => {
    expect(judge({ ...none, lines, ...more }).map(({ rule }) => rule)).toEqual(rules);
  });

  test('why a run does not end, where its workflow task fails', () => {
    const broken = [{ run: RUN, how: 'failing', text: 'out of order' }] as const;
    expect(judge({ ...none, lines: [opened()], broken })).toMatchObject([
      { rule: 'wedged', text: 'has not ended: out of order' },
    ]);
  });
});
