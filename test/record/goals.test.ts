/** Runs of goals, planned and decided by the scripted model of a fixture; and agents. */

import { fileURLToPath } from 'node:url';
import { sharedProject, writePlan, type StatusAnswer } from '../cli/project.ts';
import { recording, type Recorder } from './recorder.ts';

const PLANNING = fileURLToPath(new URL('../fixtures/planning/planwright.config.ts', import.meta.url));
const BY = ['--by', 'operator'];
const project = sharedProject(PLANNING);

const record = (name: string, play: (recorder: Recorder, id: string) => Promise<void>) =>
  recording(`goal-${name}`, project, (recorder) => play(recorder, `g-${name}`));
const asked = ({ waitingFor }: StatusAnswer) => waitingFor > 0;
const closed = ({ phase }: StatusAnswer) => phase === 'closed';

function run({ planwright }: Recorder, id: string, goal: string, ...more: string[]) {
  const how = ['--task-queue', project.taskQueue, '--workflow-id', id, '--concurrency', '1', ...BY];
  return planwright('run', '--goal', goal, ...how, ...more);
}

record('plan', async ({ planwright }) => {
  await planwright('plan', 'MENDED letters', '--config', PLANNING);
  await planwright('plan', 'ASKING', '--config', PLANNING);
  await planwright('plan', 'HOPELESS', '--config', PLANNING, '-o', 'text');
});

record('run', async (at, id) => {
  await run(at, id, 'GOOD letters', '--approval', 'effects');
});

record('revise', async (at, id) => {
  await run(at, id, 'GOOD letters', '--detach');
  const { digest } = await project.until(id, asked);
  await at.planwright('revise', id, '--feedback', 'with ef', '--digest', digest.slice(0, 8), ...BY);
});

record('question', async (at, id) => {
  await run(at, id, 'ASKING', '--detach', '--approval', 'effects');
  await project.until(id, asked);
  await at.look(id);
  await at.planwright('answer', id, 'planner.1', 'gh', ...BY);
});

record('fallback', async (at, id) => {
  await run(at, id, 'HOPELESS', '--detach', '--approval', 'effects');
  await project.until(id, asked);
  await at.look(id);
});

record('replan', async (at, id) => {
  await run(at, id, 'BROKEN letters', '--detach', '--on-failure', 'replan');
  const { digest } = await project.until(id, asked);
  await at.planwright('approve', id, '--digest', digest.slice(0, 8), ...BY);
  await project.until(id, ({ revision }) => revision === 2);
  await at.look(id);
});

record('reactive', async (at, id) => {
  await run(at, id, 'STEPWISE', '--mode', 'reactive');
  await at.planwright('trace', id, '--rounds');
  await at.planwright('why', id, 'step_1');
  await at.look(id);
});

record('reactive-approval', async (at, id) => {
  await run(at, id, 'ORDERING', '--mode', 'reactive', '--detach');
  const { digest } = await project.until(id, asked);
  await at.look(id);
  await at.planwright('approve', id, '--digest', digest.slice(0, 8), ...BY);
});

record('iteration-limit', async (at, id) => {
  await run(at, id, 'STEPWISE', '--mode', 'reactive', '--max-rounds', '1');
  await at.look(id);
});

record('budget', async (at, id) => {
  await run(at, id, 'STEPWISE', '--mode', 'reactive', '--budget', '{"tokens":150,"onEnd":"stop"}');
  await at.look(id);
});

record('agent', async (at, id) => {
  const plan = writePlan(project.folder, { goal: 'ORDERING', plan: { task: 'order what is missing', agent: 'clerk' } });
  const how = ['--task-queue', project.taskQueue, '--workflow-id', id, ...BY];
  await at.planwright('run', plan, ...how, '--approve', '--detach');
  await project.until(id, ({ counts, ...status }) => counts['running'] === 1 && 'children' in status);
  const { children } = await project.json<{ children: readonly { workflowId: string }[] }>('status', id);
  const child = children[0]?.workflowId ?? '';
  const { digest } = await project.until(child, asked);
  await at.look(child);
  await at.planwright('approve', child, '--digest', digest.slice(0, 8), ...BY);
  await project.until(id, closed);
  await at.planwright('result', id);
});
