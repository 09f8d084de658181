/** What is said to a run by commands, where `test/record` does not say it: several questions, parts, deadlines and ends. */

import { expect, test } from 'vitest';
import { both, question, sharedProject, slowWord, steps, word } from './project.ts';

const project = sharedProject();
const BY = ['--by', 'operator'];
const say = (...args: string[]) => project.json(...args, ...BY);

test('a script must name the question and give the answer; it is told the commands', async () => {
  const id = await project.detach(steps(question('One?'), question('Two?')), '--approval', 'effects');
  const { open } = await project.until(id, ({ waitingFor }) => waitingFor === 2);
  const { error, ...unnamed } = await say('answer', id);
  expect({ ...unnamed, code: error?.code, count: error?.questions?.length }).toMatchObject({ code: 'USAGE', count: 2 });
  const [first] = open;
  expect(first?.command).toBe(`planwright answer ${id} ${first?.id} ANSWER`);
  expect(await say('answer', id, first?.id ?? '')).toMatchObject({
    code: 2,
    error: { code: 'USAGE', command: first?.command },
  });
  expect(await say('answer', await project.detach(steps({ capability: 'note' })))).toMatchObject({
    code: 2,
    error: { code: 'REFUSED', message: expect.stringContaining('asks nothing') },
  });
});

const POLL = { timeout: 20_000 };

test('a paused run says so and what to type; whoever asks about a killed one exits 5 and is told who and why', async () => {
  const id = await project.detach(both(word('ab'), slowWord('c', 'say-kill')), '--approval', 'effects');
  await project.until(id, ({ counts }) => counts['running'] === 1);
  await say('control', id, 'pause');
  const { stdout } = await project.type('status', id);
  expect(stdout).toContain(': running, paused\n');
  expect(stdout).toContain(`next: planwright control ${id} resume`);
  // What the server lists comes a moment later than the run itself.
  await expect
    .poll(async () => (await project.type('list', '--open')).stdout, POLL)
    .toMatch(new RegExp(`${id} +paused; `));
  const { runs, plans } = await project.json<'list'>('list', '--open');
  expect(runs.find(({ workflowId }) => workflowId === id)).toMatchObject({ phase: 'running', paused: true });
  expect(plans.find(({ workflowIds }) => workflowIds.includes(id))?.states).toHaveProperty('paused');
  expect(await say('control', id, 'kill', '--comment', 'the beam is lost')).toMatchObject({ code: 0 });
  expect(await project.json('result', id)).toMatchObject({ code: 5, error: { code: 'RUN_KILLED' } });
  expect(await project.json('status', id)).toMatchObject({
    ...{ code: 5, phase: 'closed', outcome: 'aborted', by: 'operator', comment: 'the beam is lost' },
  });
});
