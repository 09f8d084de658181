/** Runs by the commands of the built program. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { both, question, sharedProject, slowWord, steps, word, writePlan, type StatusAnswer } from '../cli/project.ts';
import { recording, type Recorder } from './recorder.ts';

const project = sharedProject();
const LETTERS = both(word('ab'), word('cd'));
const BY = ['--by', 'operator'];
const BROKEN = { capability: 'broken' };

const record = (name: string, play: (recorder: Recorder, id: string) => Promise<void>) =>
  recording(`command-${name}`, project, (recorder) => play(recorder, `c-${name}`));
const asked = ({ waitingFor }: StatusAnswer) => waitingFor > 0;
const asksAlone = (status: StatusAnswer) => asked(status) && status.counts['succeeded'] === 1;
const closed = ({ phase }: StatusAnswer) => phase === 'closed';

/** Starts a run of a plan, one node after the other. */
async function run({ planwright }: Recorder, id: string, plan: unknown, ...more: string[]): Promise<void> {
  const file = join(project.folder, `${id}.json`);
  writeFileSync(file, JSON.stringify(plan));
  const how = ['--task-queue', project.taskQueue, '--workflow-id', id, '--concurrency', '1', ...BY];
  await planwright('run', file, ...how, ...more);
}

const digestOf = async (id: string, fits = asked) => (await project.until(id, fits)).digest.slice(0, 8);

record('run-approved', async (at, id) => {
  await run(at, id, LETTERS, '--approve');
  await at.planwright('result', id);
  await at.planwright('result', id, '--format', 'tsv', '-o', 'text');
  await at.planwright('result', id, '--node', 'node_1', '-o', 'jsonl');
  await at.planwright('watch', id);
  await at.planwright('status', id, '--nodes');
  await at.planwright('trace', id, '-o', 'jsonl');
  await at.planwright('status', id, '--mermaid');
});

record('run-timeout', async (at, id) => {
  await run(at, id, LETTERS, '--timeout', '5s');
  await project.until(id, asked);
  await at.planwright('watch', id, '--timeout', '5s');
  await at.planwright('result', id, '--timeout', '5s');
});

record('approve', async (at, id) => {
  await run(at, id, LETTERS, '--detach');
  const digest = await digestOf(id);
  await at.planwright('approve', id, ...BY);
  await at.planwright('approve', id, '--digest', '00000000', ...BY);
  await at.planwright('approve', id, '--digest', digest, '--comment', 'go', ...BY);
  await project.until(id, closed);
  await at.planwright('approve', id, '--digest', digest, '--comment', 'go', ...BY);
  await at.planwright('reject', id, '--digest', digest, ...BY);
});

record('reject', async (at, id) => {
  await run(at, id, LETTERS, '--detach', '--max-rejections', '2');
  const digest = await digestOf(id);
  await at.planwright('reject', id, '--digest', digest, '--comment', 'too early', ...BY);
  const edited = writePlan(project.folder, both(word('ab'), word('ef')));
  await at.planwright('edit', id, '--plan', edited, '--digest', digest, ...BY);
  const next = await digestOf(id, ({ revision }) => revision === 2);
  await at.planwright('reject', id, '--digest', next, '--by', 'deputy');
  await project.until(id, closed);
  await at.planwright('result', id);
});

record('answer', async (at, id) => {
  const schema = { type: 'boolean' };
  await run(
    at,
    id,
    steps(question('Is it cold?', { schema }), { capability: 'note' }),
    '--detach',
    '--approval',
    'effects',
  );
  const { open } = await project.until(id, asksAlone);
  const which = open[0]?.id ?? '';
  await at.planwright('answer', id, ...BY);
  await at.planwright('answer', id, which, 'perhaps', ...BY);
  await at.planwright('answer', id, which, '42', '--json', ...BY);
  await at.planwright('answer', id, 'none', 'yes', ...BY);
  await at.planwright('answer', id, which, 'yes', ...BY);
  await project.until(id, closed);
  await at.planwright('answer', id, which, 'yes', ...BY);
  await at.planwright('trace', id, '-o', 'jsonl');
});

record('control', async (at, id) => {
  await run(at, id, both(word('ab'), slowWord('c', id)), '--detach', '--approval', 'effects');
  await project.until(id, ({ counts }) => counts['running'] === 1 && counts['succeeded'] === 1);
  const control = (verb: string, ...args: string[]) => at.planwright(verb, id, ...args, ...BY);
  await control('pause');
  await at.planwright('pause', '-w', id, ...BY);
  await control('stop');
  await control('pause', 'node_1');
  await control('retry');
  await control('retry', 'node_99');
  await control('cancel-node', 'node_1', '--digest', '00000000');
  project.open(id);
  await project.until(id, ({ counts }) => counts['running'] === 0);
  await control('resume');
  await project.until(id, closed);
  await control('resume');
  await at.planwright('cancel', id);
});

record('failed', async (at, id) => {
  await run(at, id, steps({ capability: 'note' }, BROKEN, { capability: 'note' }), '--approval', 'effects');
  await at.planwright('why', id, 'node_2');
  await at.planwright('result', id);
  await at.planwright(
    'run',
    '--reuse',
    id,
    '--detach',
    '--task-queue',
    project.taskQueue,
    '--workflow-id',
    `${id}-again`,
    ...BY,
  );
  await project.until(`${id}-again`, closed);
  await at.planwright('trace', `${id}-again`, '-o', 'jsonl');
});

record('partial', async (at, id) => {
  const plan = {
    goal: 'Letters',
    plan: { type: 'combine', operator: 'UNION', left: word('ab'), right: { task: 'x', ...BROKEN } },
  };
  await run(at, id, plan, '--approval', 'effects', '--on-failure', 'partial');
  await at.look(id);
});

record('reuse', async (at, id) => {
  await run(at, id, LETTERS, '--approve');
  await run(at, `${id}-2`, both(word('ab'), word('ef')), '--reuse', id, '--approve');
  await at.look(`${id}-2`);
  await run(at, `${id}-3`, LETTERS, '--reuse', id, '--approve');
  await run(at, `${id}-4`, LETTERS, '--reuse', 'nobody', '--approve');
});

record('context', async (at, id) => {
  const context = join(project.folder, 'context.json');
  writeFileSync(context, '{"site":"Norholm"}');
  const plan = {
    goal: 'Look',
    steps: [{ context_key: 'first', task_objective: 'Look', capability: 'note', inputs: ['site'] }],
  };
  await run(at, id, plan, '--approve');
  await run(at, `${id}-2`, plan, '--approve', '--context', context);
  await at.planwright('result', `${id}-2`);
});

record('invalid', async (at, id) => {
  const plan = both(word('ab'), { type: 'task', task: 'x', capability: 'nothing' });
  await run(at, id, plan, '--approve');
  await run(at, `${id}-2`, { goal: 'Nothing', plan: { type: 'combine', operator: 'XOR', left: word('a') } });
});

record('missing', async (at, id) => {
  for (const command of ['status', 'result', 'trace', 'watch']) await at.planwright(command, 'nobody');
  await at.planwright('run', '--reuse', 'nobody');
  await at.planwright('why', 'nobody', 'node_1');
  await at.planwright('approve', 'nobody', '--digest', '00000000', ...BY);
  await at.planwright('status', 'nobody', '--address', '127.0.0.1:1');
  await at.planwright('status', 'nobody', '--namespace', 'nowhere');
  await at.planwright('run', 'nothing.json', ...BY);
  await run(at, id, LETTERS, '--task-queue', 'nobody', '--timeout', '5s');
  await at.planwright('status', id, '--web');
});
