/** Runs whose nodes ask a person, and what is answered. */

import type { Question, RunOptions } from '../../../src/protocol/index.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { approvedRun, bring, shapeOf, underWay, wideShape } from './make-run.ts';

export const WHICH: Question = { text: 'which?' };

/** Three nodes that ask at once, and one that needs the first of them. */
export function asking(questions: readonly Question[] = [WHICH, WHICH, WHICH], options: Partial<RunOptions> = {}): Run {
  const run = approvedRun(shapeOf([[], [], [], [0]]), { answerDeadlineMs: 1000, ...options });
  for (const node of underWay(run)) bring(run, node, { asks: questions[node] as Question });
  return run;
}

/** So many nodes that ask at once. */
export function manyAsking(nodes: number): Run {
  const run = approvedRun(wideShape(nodes), { concurrency: 1000 });
  for (const node of underWay(run)) bring(run, node, { asks: WHICH });
  return run;
}

export function answer(node: number, value: unknown = 1, over: object = {}) {
  return { question: `3fa9c1d2.node_${node}`, value, by: 'operator', ...over };
}
