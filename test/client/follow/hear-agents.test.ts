/** What is heard of the agents of a run. The runs are doubles: they stand as a script says, and know no other. */

import { expect, test } from 'vitest';
import { ClientError, type RunHandle } from '../../../src/client/index.ts';
import { agentRunId, type RunStatus, type TraceEntry } from '../../../src/protocol/index.ts';
import { followAgents } from '../../../src/client/follow-agents.ts';
import { status } from './fake-run.ts';

interface Standing {
  status: RunStatus;
  readonly trace: TraceEntry[];
}

function followed(standings: Readonly<Record<string, Standing>>, isAway = () => false) {
  const runOf = (workflowId: string): Pick<RunHandle, 'workflowId' | 'view'> => ({
    workflowId,
    async view(names = [], { after = 0 } = {}) {
      const standing = standings[workflowId];
      if (standing === undefined) throw new ClientError('no-run', `there is no run ${workflowId}`);
      if (names.some((name) => name === 'trace') && isAway()) throw new ClientError('no-worker', 'nobody answers');
      const { status: now, trace } = standing;
      return { status: now, trace: { entries: trace.filter(({ seq }) => seq > after), dropped: 0 } } as never;
    },
  });
  return followAgents(runOf('run'), runOf);
}

function entry(seq: number, text: string, what: TraceEntry['what'] = 'planned'): TraceEntry {
  return { seq, at: '2026-01-02T03:04:05.000Z', what, text };
}

const child = (node: string) => ({ node, workflowId: `run.${node}`, waitingFor: 0 });

test('an agent is heard while it works, and for the last time when it has ended', async () => {
  const agent: Standing = {
    status: status({ loop: { round: 1, maxRounds: 9 } }),
    trace: [entry(1, 'step_1: look', 'compiled'), entry(2, 'node_1 began', 'node')],
  };
  const ears = followed({ 'run.node_1': agent });
  const working = status({ children: [child('node_1'), child('node_2')] });
  const first = await ears.listen(working);
  expect(first.agents).toEqual([{ node: 'node_1', workflowId: 'run.node_1', status: agent.status }]);
  expect(first.steps.map(({ node, entry: { text } }) => [node, text])).toEqual([['node_1', 'step_1: look']]);
  expect(await ears.listen(working)).toBe(first);

  const usage = { calls: 2, inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 };
  agent.status = status({ phase: 'closed', outcome: 'done', usage });
  agent.trace.push(entry(3, 'step_1 ended: succeeded'));
  const last = await ears.listen(status({}));
  expect(last.agents[0]?.status.usage).toEqual(usage);
  expect(last.steps.map(({ entry: { seq } }) => seq)).toEqual([1, 3]);
  agent.status = status({});
  expect(await ears.listen(status({}))).toBe(last);
});

test('steps that could not be read are read when the agent is asked again, though it stands as before', async () => {
  const agent: Standing = { status: status({ phase: 'closed' }), trace: [entry(1, 'step_1: look')] };
  let isAway = true;
  const ears = followed({ 'run.node_1': agent }, () => isAway);
  const working = status({ children: [child('node_1')] });
  await expect(ears.listen(working)).rejects.toMatchObject({ code: 'no-worker' });
  isAway = false;
  expect((await ears.listen(working)).steps.map(({ entry: { text } }) => text)).toEqual(['step_1: look']);
});

test('a run that decides itself tells its own steps, of no node', async () => {
  const own: Standing = { status: status({}), trace: [entry(1, 'step_1: look'), entry(2, 'said', 'decision')] };
  const { steps } = await followed({ run: own }).listen(status({ loop: { round: 1, maxRounds: 3 } }));
  expect(steps).toEqual([{ workflowId: 'run', entry: entry(1, 'step_1: look') }]);
});

test('agents that ended before anybody listened are looked for by the id they began with', async () => {
  const ended: Standing = { status: status({ phase: 'closed' }), trace: [] };
  const ears = followed({ 'run.c.r2.node_2': ended });
  const node = (id: string, executor: string) => ({ id, executor, status: 'succeeded' as const, summary: id });
  const nodes = [node('node_1', 'capability look@1 read'), node('node_2', 'agent clerk@1 read')];
  const { agents } = await ears.lookBack(status({ revision: 2 }), [...nodes, node('node_3', 'agent clerk@1 read')]);
  expect(agents.map(({ workflowId }) => workflowId)).toEqual(['run.c.r2.node_2']);
  expect(agentRunId({ workflowId: 'run', firstRunId: 'c' }, 1, 'node_2')).toBe('run.c.node_2');
  expect(agentRunId({ workflowId: 'run.c.node_2', firstRunId: 'c' }, 1, 'node_1')).toBe('run.c.node_2.node_1');
});
