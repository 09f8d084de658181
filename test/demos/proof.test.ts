/** What a ledger proves, and what it does not. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ledgerWriter, readLedger, type LedgerEntry } from '../../examples/stage/index.ts';
import { openNodes, proofOf, type Kill } from '../../examples/gene-strategies/story/proof.ts';
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

describe('proof', () => {
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
  ])('%s', (_, text, kill, faults) => {
    expect(proofOf(['a', 'b', 'c'], ledgerOf(text), kill).faults).toHaveLength(faults);
  });

  test('a fault says which node, when and by whom', () => {
    const { faults } = proofOf(['a'], ledgerOf('1:a+ 1:a- 2:a+ 2:a-'), KILL);
    expect(faults).toEqual([
      'a was started 2 times (second 0 by 1, second 2 by 2), though it had finished before the kill.',
    ]);
  });

  test('counts attempts and names workers', () => {
    const { rows } = proofOf(['a', 'b'], ledgerOf('1:a+ 1:a- 1:b+ 2:b+ 2:b-'), KILL);
    expect(rows).toEqual([
      { nodeId: 'a', started: 1, finished: 1, pids: [1], standing: 'finished before' },
      { nodeId: 'b', started: 2, finished: 1, pids: [1, 2], standing: 'in flight' },
    ]);
  });
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

  test('a failed attempt is no longer in flight', () => {
    expect([...openNodes(ledgerOf('1:a+ 1:b+ 1:a!'))]).toEqual(['b']);
  });
});

describe('the ledger', () => {
  const folder = mkdtempSync(join(tmpdir(), 'planwright-ledger-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const event = { what: 'started', workflowId: 'w', nodeId: 'node_1', attempt: 1, idempotencyKey: 'k' } as const;

  test('is empty while there is no file', () => {
    expect(readLedger(join(folder, 'none.jsonl'))).toEqual([]);
  });

  test('keeps what was there, and says by whom', () => {
    const file = join(folder, 'two.jsonl');
    ledgerWriter(file)(event);
    ledgerWriter(file)({ ...event, what: 'succeeded' });
    expect(readLedger(file)).toMatchObject([{ ...event, pid: process.pid }, { what: 'succeeded' }]);
  });

  test('a line that is still being written is left for later; a damaged one is an error', () => {
    const file = join(folder, 'torn.jsonl');
    writeFileSync(file, `${JSON.stringify(event)}\n{"what":"succ`);
    expect(readLedger(file)).toHaveLength(1);
    writeFileSync(file, '{"what":"succ\n');
    expect(() => readLedger(file)).toThrow(SyntaxError);
  });
});
