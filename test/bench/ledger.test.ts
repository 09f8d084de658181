/** The ledger of the bench tells of a killed run which nodes were repeated, and which are lost. */

import { describe, expect, test } from 'vitest';
import { judgeKill, ledgerIn, type AfterKill } from '../../bench/ledger.ts';

const NODES = [0, 1, 2, 3];
const BEFORE = ['b 0', 'b 1', 'e 0', 'e 1', 'b 2'];

describe('a kill is judged by the ledger and by what the engine has kept', () => {
  const went = { ended: 2, kept: 2, keptAgain: 0, endedAgain: 0, lost: 0 };
  test.each<[name: string, kept: number[], after: string[], judged: AfterKill]>([
    ['only what was under way begins again', [0, 1], ['b 2', 'e 2', 'b 3', 'e 3'], went],
    [
      'a kept node begins again',
      [0, 1],
      ['b 0', 'e 0', 'b 2', 'e 2', 'b 3', 'e 3'],
      { ...went, keptAgain: 1, endedAgain: 1 },
    ],
    [
      'an ended node that was not kept begins again',
      [0],
      ['b 1', 'e 1', 'b 2', 'e 2', 'b 3', 'e 3'],
      { ...went, kept: 1, endedAgain: 1 },
    ],
    ['two nodes never end', [0, 1], ['b 3'], { ...went, lost: 2 }],
    ['a kept join that writes no line is passed over', [0, 1, 4], ['e 2', 'e 3'], went],
  ])('%s', (_name, kept, after, judged) => {
    const [before, all] = [BEFORE, [...BEFORE, ...after]].map((lines) => ledgerIn(lines.join('\n')));
    expect(judgeKill(NODES, before!, all!, new Set(kept))).toEqual(judged);
  });
});

test.each(['x 1', 'b', 'e one', 'b 1 2'])('a line such as "%s" is refused', (line) => {
  expect(() => ledgerIn(`b 0\n${line}\n`)).toThrow(`"${line}"`);
});
