/** Planwright on Temporal's dev server with a database file, as `run` starts it. */

import { z } from 'zod';
import { defineCapability } from '../../src/define/index.ts';
import { createSet } from '../../src/language/algebra/index.ts';
import type { Shape } from '../contender.ts';
import { withServer } from '../server.ts';
import { answer } from './answer.mjs';

const nap = defineCapability({
  name: 'nap',
  description: 'Naps.',
  input: z.object({ ms: z.number() }),
  output: 'set',
  effect: 'read',
  execute: async ({ arguments: { ms } }) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return createSet([]);
  },
});

await withServer(
  ({ plans, client }) => {
    let run = 0;
    return answer(
      { name: 'Planwright', label: 'an activity a node, Temporal dev server on SQLite' },
      async (shape: Shape) => {
        const workflowId = `run-${++run}`;
        const from = performance.now();
        const started = await plans.start(documentOf(shape), {
          workflowId,
          options: { approval: 'effects', concurrency: 1000 },
        });
        if (!started.ok) throw new Error(JSON.stringify(started.issues));
        await client.workflow.getHandle(workflowId).result();
        const ms = performance.now() - from;
        const { counts } = await started.run.status();
        return { ms, ran: counts['succeeded'] ?? 0 };
      },
    );
  },
  undefined,
  { capabilities: [nap] },
);

/** Two inputs are a UNION, one is a task's input; the last node is the root. */
function documentOf({ name, inputs, naps }: Shape): { goal: string; plan: object } {
  const made: object[] = [];
  inputs.forEach(([first, second], node) => {
    const ms = naps[node] ?? 0;
    const task = {
      type: 'task',
      task: `n${node}`,
      ...(ms === 0 ? { capability: 'noop' } : { capability: 'nap', arguments: { ms } }),
    };
    if (first === undefined) made[node] = task;
    else if (second === undefined) made[node] = { ...task, input: made[first] };
    else made[node] = { type: 'combine', operator: 'UNION', left: made[first], right: made[second] };
  });
  return { goal: name, plan: made.at(-1) ?? {} };
}
