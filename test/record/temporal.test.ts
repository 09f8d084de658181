/** Runs by the Temporal CLI alone. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { both, question, sharedProject, steps, word, type StatusAnswer } from '../cli/project.ts';
import { recording, type Recorder } from './recorder.ts';

const project = sharedProject();
const LETTERS = both(word('ab'), word('cd'));
const ORDER = { capability: 'order', arguments: { item: 'gel' } };
const BY = { by: 'operator' };

const record = (name: string, play: (recorder: Recorder) => Promise<void>) =>
  recording(`temporal-${name}`, project, play);
const json = (value: unknown) => ['--input', JSON.stringify(value)];
const asked = ({ waitingFor }: StatusAnswer) => waitingFor > 0;
const closed = ({ phase }: StatusAnswer) => phase === 'closed';

/** The digest of the plan that waits. */
async function digestOf(id: string, fits = asked): Promise<string> {
  return (await project.until(id, fits)).digest.slice(0, 8);
}

record('approve', async ({ start, temporal, look }) => {
  await start('approve', LETTERS);
  const digest = await digestOf('approve');
  for (const type of ['status', 'plan', 'nodes', 'questions']) await temporal('query', '-w', 'approve', '--type', type);
  await look('approve');
  await temporal('signal', '-w', 'approve', '--name', 'approve', ...json({ digest, ...BY, comment: 'go' }));
  await temporal('result', '-w', 'approve');
  await look('approve');
  await temporal('metadata', '-w', 'approve');
  for (const type of ['nodes', 'trace']) await temporal('query', '-w', 'approve', '--type', type);
});

record('reject', async ({ start, temporal, look }) => {
  await start('reject', LETTERS);
  const digest = await digestOf('reject');
  await temporal('signal', '-w', 'reject', '--name', 'reject', ...json({ digest, ...BY, comment: 'too early' }));
  await temporal('result', '-w', 'reject');
  await look('reject');
});

record('document-as-text', async ({ temporal }) => {
  const to = ['--type', 'planWorkflow', '--task-queue', project.taskQueue, '--workflow-id'];
  await temporal('start', ...to, 'text', '--static-summary', 'Letters', ...json(JSON.stringify(LETTERS)));
  await digestOf('text');
  await temporal('start', ...to, 'no-json', ...json('goal: Letters'));
  await temporal('result', '-w', 'no-json');
});

record('approve-part-and-withdraw', async ({ start, temporal }) => {
  await start('part', steps({ capability: 'note' }, ORDER), { approval: 'effects' });
  const digest = await digestOf('part', ({ counts }) => counts['succeeded'] === 1);
  const decide = (decision: object) =>
    temporal('update', 'execute', '-w', 'part', '--name', 'decide', ...json({ digest, ...BY, ...decision }));
  await decide({ kind: 'approve-part', nodes: ['node_9'] });
  await decide({ kind: 'withdraw' });
  await decide({ kind: 'approve-part', nodes: ['node_2'] });
  await project.until('part', closed);
  await decide({ kind: 'approve' });
});

record('edit', async ({ start, temporal, look }) => {
  await start('edit', LETTERS);
  const digest = await digestOf('edit');
  const edit = (plan: unknown) => json({ kind: 'edit', digest, ...BY, plan });
  const decide = ['update', 'execute', '-w', 'edit', '--name', 'decide'];
  await temporal(...decide, ...edit({ goal: 'Letters', plan: { task: 'x', capability: 'nothing' } }));
  await temporal(...decide, ...edit(both(word('ab'), word('ef'))));
  await look('edit');
  const next = await digestOf('edit', ({ revision }) => revision === 2);
  await temporal(...decide, ...json({ kind: 'approve', digest, ...BY }));
  await temporal(...decide, ...json({ kind: 'approve', digest: next, ...BY }));
});

record('answer', async ({ start, temporal, look }) => {
  const asks = question('How many?', { schema: { type: 'number' }, roles: ['operator'] });
  await start('answer', steps(asks, { capability: 'note' }), { approval: 'effects' });
  const { open } = await project.until('answer', (status) => asked(status) && status.counts['succeeded'] === 1);
  await temporal('query', '-w', 'answer', '--type', 'questions');
  await look('answer');
  const answer = (said: object) => json({ question: open[0]?.id, ...BY, role: 'operator', ...said });
  const update = ['update', 'execute', '-w', 'answer', '--name', 'answer'];
  await temporal(...update, ...answer({ value: 'many' }));
  await temporal(...update, ...answer({ value: 3, role: 'guest' }));
  await temporal(...update, ...answer({ value: 3, question: 'none' }));
  await temporal('signal', '-w', 'answer', '--name', 'answer', ...answer({ value: 3 }));
  await project.until('answer', closed);
});

record('malformed-messages', async ({ start, temporal }) => {
  await start('malformed', LETTERS);
  const digest = await digestOf('malformed');
  const signals: readonly (readonly [string, unknown])[] = [
    ['approve', {}],
    ['approve', 'yes'],
    ['approve', { digest, ...BY, kind: 'edit' }],
    ['approve', { digest: '00000000', ...BY }],
    ['decide', { kind: 'maybe', digest, ...BY }],
    ['answer', { question: 'none', value: 1, ...BY }],
    ['control', { action: 'stop', ...BY }],
    ['control', { action: 'pause', node: 'node_1', ...BY }],
    ['control', { action: 'retry-node', node: 'node_9', ...BY }],
    ['nobody', { ...BY }],
  ];
  for (const [name, input] of signals) await temporal('signal', '-w', 'malformed', '--name', name, ...json(input));
  const update = ['update', 'execute', '-w', 'malformed', '--name'];
  await temporal(...update, 'control', ...json({ action: 'stop', ...BY }));
  await temporal(...update, 'decide', ...json({ kind: 'approve', digest }));
  await temporal(...update, 'nobody', ...json({}));
  await temporal('query', '-w', 'malformed', '--type', 'nobody');
  await temporal('query', '-w', 'malformed', '--type', 'nodes', ...json({ after: 7 }));
  await temporal('query', '-w', 'malformed', '--type', 'trace');
});

record('pause-and-resume', async ({ start, temporal, look }) => {
  await start('pause', LETTERS);
  const digest = await digestOf('pause');
  const control = (action: string) =>
    temporal('update', 'execute', '-w', 'pause', '--name', 'control', ...json({ action, ...BY }));
  await control('pause');
  await control('pause');
  await temporal('signal', '-w', 'pause', '--name', 'approve', ...json({ digest, ...BY }));
  await project.until('pause', ({ phase }) => phase === 'running');
  await look('pause');
  await control('resume');
  await temporal('result', '-w', 'pause');
  await control('resume');
});

record('settle-nodes', async ({ start, temporal, look }) => {
  const broken = { capability: 'broken' };
  const plan = steps(broken, broken, broken, question('Which?'), { capability: 'note' });
  await start('settle', plan, { approval: 'effects', onFailure: 'ask' });
  await project.until('settle', ({ waitingFor, counts }) => waitingFor === 4 && counts['succeeded'] === 1);
  await temporal('query', '-w', 'settle', '--type', 'questions');
  const control = (action: string, node: string, more: object = {}) =>
    temporal('update', 'execute', '-w', 'settle', '--name', 'control', ...json({ action, node, ...BY, ...more }));
  await control('resolve', 'node_1', { outcome: 'succeeded', value: ['x'] });
  await control('skip-node', 'node_2');
  await control('retry-node', 'node_3');
  await project.until('settle', ({ waitingFor }) => waitingFor === 2);
  await control('resolve', 'node_3', { outcome: 'failed' });
  await control('cancel-node', 'node_4');
  await project.until('settle', closed);
  await look('settle');
});

record('kill', async ({ start, temporal, look }) => {
  await start('kill', LETTERS);
  await digestOf('kill');
  const kill = ['update', 'execute', '-w', 'kill', '--name', 'control'];
  await temporal(...kill, ...json({ action: 'kill', ...BY }));
  await temporal(...kill, ...json({ action: 'kill', ...BY, comment: 'the beam is lost' }));
  await temporal('result', '-w', 'kill');
  await look('kill');
});

record('cancel', async ({ start, temporal, look }) => {
  await start('cancel', LETTERS);
  await digestOf('cancel');
  await temporal('cancel', '-w', 'cancel');
  await temporal('result', '-w', 'cancel');
  await look('cancel');
});

record('terminate', async ({ start, temporal, look }) => {
  await start('terminate', LETTERS);
  await digestOf('terminate');
  await temporal('terminate', '-w', 'terminate', '--reason', 'the room is closed');
  await look('terminate');
});

record('reset', async ({ start, temporal, note, look }) => {
  await start('reset', steps({ ...ORDER, arguments: { item: 'reset' } }));
  const digest = await digestOf('reset');
  await temporal('signal', '-w', 'reset', '--name', 'approve', ...json({ digest, ...BY }));
  await project.until('reset', closed);
  await temporal('reset', '-w', 'reset', '--type', 'FirstWorkflowTask', '--reason', 'once more');
  await project.until('reset', (status) => closed(status) || asked(status));
  await look('reset');
  await temporal('query', '-w', 'reset', '--type', 'questions');
  const orders = readFileSync(join(project.folder, 'orders.txt'), 'utf8').split('\n');
  note('orders', orders.filter((line) => line.endsWith(' reset')).length);
});

record('invalid-plan', async ({ start, temporal, look }) => {
  await start('invalid-plan', both(word('ab'), { type: 'task', task: 'x', capability: 'nothing' }));
  await temporal('result', '-w', 'invalid-plan');
  await look('invalid-plan');
});

record('invalid-input', async ({ start, temporal, look }) => {
  await start('invalid-option', LETTERS, { concurrency: 0 });
  await temporal('result', '-w', 'invalid-option');
  await start('unknown-option', LETTERS, { colour: 'red' });
  await temporal('result', '-w', 'unknown-option');
  await start('nothing', {});
  await temporal('result', '-w', 'nothing');
  await look('nothing');
});

record('failed', async ({ start, temporal, look }) => {
  await start('failed', steps({ capability: 'broken' }, { capability: 'note' }), { approval: 'effects' });
  await temporal('result', '-w', 'failed');
  await look('failed');
});

record('expired', async ({ start, temporal, look }) => {
  await start('expired', LETTERS, { approvalDeadline: '2s' });
  await temporal('result', '-w', 'expired');
  await look('expired');
});

record('no-answer', async ({ start, temporal, look }) => {
  const asks = steps(question('Which?'), question('How many?', { schema: { type: 'number' }, default: 3 }));
  await start('no-answer', asks, { approval: 'effects', answerDeadline: '2s' });
  await temporal('result', '-w', 'no-answer');
  await look('no-answer');
});

record('go-on', async ({ start, temporal }) => {
  await start('go-on', LETTERS);
  const digest = await digestOf('go-on');
  const to = ['-w', 'go-on'];
  await temporal('update', 'execute', ...to, '--name', 'control', ...json({ action: 'go-on', ...BY }));
  await project.until('go-on', asked);
  await temporal('signal', ...to, '--name', 'approve', ...json({ digest, ...BY }));
  await temporal('result', ...to);
});
