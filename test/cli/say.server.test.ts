/** What is said to a run by commands, where `test/record` does not say it: several questions, parts, deadlines and ends. */

import { expect, test } from 'vitest';
import { both, question, sharedProject, slowWord, steps, word, writePlan } from './project.ts';

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

test('a paused run says so and what to type; whoever asks about a killed one exits 5 and is told who and why', async () => {
  const id = await project.detach(both(word('ab'), slowWord('c', 'say-kill')), '--approval', 'effects');
  await project.until(id, ({ counts }) => counts['running'] === 1);
  await say('pause', id);
  const { stdout } = await project.type('status', id);
  expect(stdout).toContain(': running, paused\n');
  expect(stdout).toContain(`next: planwright resume ${id}`);
  // What the server lists comes a moment later than the run itself.
  await expect.poll(async () => (await project.type('list', '--open')).stdout).toMatch(new RegExp(`${id} +paused; `));
  const { runs, plans } = await project.json<'list'>('list', '--open');
  expect(runs.find(({ workflowId }) => workflowId === id)).toMatchObject({ phase: 'running', paused: true });
  expect(plans.find(({ workflowIds }) => workflowIds.includes(id))?.states).toHaveProperty('paused');
  expect(await say('kill', id, '--comment', 'the beam is lost')).toMatchObject({ code: 0 });
  expect(await project.json('result', id)).toMatchObject({ code: 5, error: { code: 'RUN_KILLED' } });
  expect(await project.json('cancel', id)).toMatchObject({ code: 6, error: { code: 'RUN_CLOSED' } });
  expect(await project.json('status', id)).toMatchObject({
    ...{ code: 5, phase: 'closed', outcome: 'aborted', by: 'operator', comment: 'the beam is lost' },
  });
});

test('a rejected run ends with exit 5 for who waits and for its status; silence is refusal', async () => {
  const id = await project.detach(both(word('ab'), word('cd')));
  const { digest } = await project.until(id, ({ waitingFor }) => waitingFor === 1);
  const waiting = project.begin('result', id, '-o', 'json');
  expect(await project.type('reject', id, '--digest', digest, ...BY)).toMatchObject({ stdout: `${id}: rejected\n` });
  expect((await waiting.ended).code).toBe(5);
  expect(await project.json('status', id)).toMatchObject({ code: 5, outcome: 'rejected' });
  const silent = await project.detach(both(word('ab'), word('cd')), '--approval-deadline', '1s');
  expect(await project.json('result', silent)).toMatchObject({ code: 1, error: { code: 'RUN_EXPIRED' } });
});

test('a plan is approved once, a part by the names of its nodes, and an edit leaves the words of the trace', async () => {
  const id = await project.detach(both(word('ab'), word('cd')));
  const { digest } = await project.until(id, ({ waitingFor }) => waitingFor === 1);
  expect(await say('approve', id, '--nodes', 'node_1', '--digest', digest)).toMatchObject({
    ...{ code: 0, kind: 'approve-part', nodes: ['node_1'] },
  });
  const file = writePlan(project.folder, both(word('xy'), word('cd')));
  const edit = ['edit', id, '--plan', file, '--comment', 'xy it is', '--digest', digest];
  expect(await say(...edit)).not.toHaveProperty('plan');
  const open = await project.until(id, ({ revision }) => revision === 2);
  expect(await say('approve', id, '--digest', open.digest, '--role', 'lead')).toMatchObject({ code: 0, role: 'lead' });
  expect(await project.json('approve', id, '--digest', open.digest, '--by', 'deputy')).toMatchObject({
    ...{ code: 6, error: expect.objectContaining({ code: expect.stringMatching(/STALE|RUN_CLOSED/) }) },
  });
  expect((await project.type('result', id)).stdout).toBe('c\nd\nx\ny\n');
  expect((await project.type('trace', id)).stdout).toMatch(
    /^ *\d+ +[-\d]*[ \d:]+Z +decision +edit .* by operator \(xy it is\): .*\(operator, unverified\)$/m,
  );
});
