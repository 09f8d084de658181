/** What a ledger proves, and what it does not. */

import { describe, expect, test } from 'vitest';
import { type LedgerEntry } from '../../examples/stage/index.ts';
import { proofOf, type Kill } from '../../examples/gene-strategies/story/proof.ts';
import { isKillMoment } from '../../examples/gene-strategies/story/watch-run.ts';

const KILL: Kill = { pid: 1, finished: new Set(['a']), inFlight: new Set(['b']) };

/** `1:a+` is: worker 1 started a; `-` it succeeded, `!` it failed. */
function ledgerOf(text: string): readonly LedgerEntry[] {
  const words = { '+': 'started', '-': 'succeeded', '!': 'failed' } as const;
  return text.split(' ').map((entry, at) => {
    const [, pid, nodeId, mark] = /^(\d):(\w)([-+!])$/.exec(entry) as unknown as [
      string,
      string,
      string,
      keyof typeof words,
    ];
    const event = { what: words[mark], nodeId, workflowId: 'w', attempt: 1, idempotencyKey: nodeId };
    return { ...event, pid: Number(pid), at: `second ${at}` };
  });
}

test.each([
  ['a node that was in flight may start again', '1:a+ 1:a- 1:b+ 2:b+ 2:b- 2:c+ 2:c-', KILL, 0],
  [
    'a node in flight whose result did not reach the server may even end twice',
    '1:a+ 1:a- 1:b+ 1:b- 2:b+ 2:b- 2:c+ 2:c-',
    KILL,
    0,
  ],
  ['a node that had finished must not start again', '1:a+ 1:a- 1:b+ 2:b+ 2:b- 2:a+ 2:a- 2:c+ 2:c-', KILL, 1],
  ['a node that began after the kill must not start twice', '1:a+ 1:a- 1:b+ 2:b+ 2:b- 2:c+ 2:c+ 2:c-', KILL, 1],
  ['a node that nobody finished is a fault', '1:a+ 1:a- 1:b+ 2:b+ 2:b- 2:c+', KILL, 1],
  ['without a kill every node starts once', '1:a+ 1:a- 1:b+ 1:b- 1:c+ 1:c-', undefined, 0],
  ['without a kill a second start is a fault', '1:a+ 1:a- 1:b+ 1:b- 1:b+ 1:b- 1:c+ 1:c-', undefined, 1],
])('proof: %s', (_, text, kill, faults) => {
  expect(proofOf(['a', 'b', 'c'], ledgerOf(text), kill).faults).toHaveLength(faults);
});

describe('the moment to kill', () => {
  const completed = new Map([
    ['a', 1],
    ['b', 1],
    ['c', 1],
  ]);
  const ledger = ledgerOf('1:a+ 1:a- 1:b+ 1:b- 1:c+ 1:c- 1:d+');

  test.each([
    ['three nodes have finished and one is in flight', completed, true, ledger, true],
    ['too few have finished', new Map([['a', 1]]), true, ledgerOf('1:a+ 1:a- 1:d+'), false],
    ['nothing is in flight', completed, true, ledger.slice(0, -1), false],
    ['a result is on its way to the server', completed, true, [...ledger, ...ledgerOf('1:d- 1:e+')], false],
    ['the workflow is at work', completed, false, ledger, false],
  ])('%s', (_, done, isQuiet, entries, expected) => {
    expect(isKillMoment({ completed: done, isQuiet }, entries)).toBe(expected);
  });
});
