/** The worker is killed while the run is replanning, with the reply of the model in hand: nothing is bought or done twice. */

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RunResult } from '../../src/protocol/index.ts';
import { approve, kill, openCrashSite } from '../support/crash-site.ts';
import { chatDelta, startModelServer, type Answer, type Asked } from '../support/model-server.ts';

const marked = { id: 'm', task: 'Mark it', capability: 'mark', arguments: { name: 'once' } };
const reads = (name: string) => ({ id: 'b', task: 'Read', capability: 'list', arguments: { name } });

/** The first plan names a list that is not there, the second another one. */
function answer({ body }: Asked): Answer {
  const isAnew = JSON.stringify(body).includes('How its nodes went');
  const value = { explanation: 'As asked.', nodes: [marked, reads(isAnew ? 'there' : 'gone')] };
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  const said = [chatDelta({ content: JSON.stringify(value) }), chatDelta({}, 'stop'), { choices: [], usage }];
  return { events: [...said, 'data: [DONE]\n\n'] };
}

test('a worker that is killed with the new plan in hand is followed by one that neither buys it nor repeats what is done', async () => {
  const { folder, hire, start, ledger, read } = await openCrashSite();
  const model = await startModelServer(answer);
  const run = await start({ goal: 'Mark and read', options: { onFailure: 'replan' } });

  const first = await hire(model.baseURL);
  await approve(run, 1);
  // The reply is in the journal, and its plan is being compiled.
  while (!existsSync(join(folder, 'looks'))) await pause(20);
  await kill(first);
  expect(model.asked.length).toBe(2);

  await hire(model.baseURL);
  await writeFile(join(folder, 'there'), '');
  await approve(run, 2);
  const { outcome, results } = (await run.result()) as RunResult & {
    readonly results: Record<string, { ref: string }>;
  };
  expect(outcome).toBe('done');
  expect(await read(results['b']?.ref)).toMatchObject({
    set: { ids: ['there'] },
  });
  const asked = model.asked.filter(({ body }) => JSON.stringify(body).includes('"plan"'));
  expect(asked.length).toBe(2);
  expect(await ledger()).toHaveLength(1);
});
