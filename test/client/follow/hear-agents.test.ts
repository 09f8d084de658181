/** What is heard of the agents of a run. The runs are doubles: they stand as a script says, and know no other. */

import { expect, test } from 'vitest';
import { ClientError, type RunHandle } from '../../../src/client/index.ts';
import type { RunStatus, TraceEntry } from '../../../src/protocol/index.ts';
import { createEars } from '../../../src/client/follow/hear-agents.ts';
import { agentRunId } from '../../../src/client/follow/index.ts';
import { status } from './fake-run.ts';

interface Standing {
  status: RunStatus;
  readonly trace: TraceEntry[];
}

function runOf(workflowId: string, standings: Readonly<Record<string, Standing>>): RunHandle {
  const standing = standings[workflowId];
  const run: Pick<RunHandle, 'workflowId' | 'status' | 'trace' | 'child'> = {
    workflowId,
    status: () =>
      standing === undefined
        ? Promise.reject(new ClientError('no-run', `there is no run ${workflowId}`))
        : Promise.resolve(standing.status),
    async *trace(after = 0) {
      for (const one of standing?.trace ?? []) if (one.seq > after) yield one;
    },
    child: (id) => runOf(id, standings),
  };
  return run as RunHandle;
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
  const run = runOf('run', { 'run.node_1': agent });
  const ears = createEars(run);
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
  const run = runOf('run', { 'run.node_1': agent });
  let isAway = true;
  const failing = (id: string): RunHandle => {
    const own = run.child(id);
    return {
      ...own,
      trace: (after) => {
        if (isAway) throw new ClientError('no-worker', 'nobody answers');
        return own.trace(after);
      },
    };
  };
  const ears = createEars({ ...run, child: failing });
  const working = status({ children: [child('node_1')] });
  await expect(ears.listen(working)).rejects.toMatchObject({ code: 'no-worker' });
  isAway = false;
  expect((await ears.listen(working)).steps.map(({ entry: { text } }) => text)).toEqual(['step_1: look']);
});

test('a run that decides itself tells its own steps, of no node', async () => {
  const own: Standing = { status: status({}), trace: [entry(1, 'step_1: look'), entry(2, 'said', 'decision')] };
  const { steps } = await createEars(runOf('run', { run: own })).listen(status({ loop: { round: 1, maxRounds: 3 } }));
  expect(steps).toEqual([{ workflowId: 'run', entry: entry(1, 'step_1: look') }]);
});

test('agents that ended before anybody listened are looked for by the id they began with', async () => {
  const ended: Standing = { status: status({ phase: 'closed' }), trace: [] };
  const ears = createEars(runOf('run', { 'run.c.r2.node_2': ended }));
  const node = (id: string, executor: string) => ({ id, executor, status: 'succeeded' as const, summary: id });
  const nodes = [node('node_1', 'capability look@1 read'), node('node_2', 'agent clerk@1 read')];
  const { agents } = await ears.lookBack(status({ revision: 2 }), [...nodes, node('node_3', 'agent clerk@1 read')]);
  expect(agents.map(({ workflowId }) => workflowId)).toEqual(['run.c.r2.node_2']);
  expect(agentRunId({ workflowId: 'run', chain: 'c' }, 1, 'node_2')).toBe('run.c.node_2');
  expect(agentRunId({ workflowId: 'run.c.node_2', chain: 'c' }, 1, 'node_1')).toBe('run.c.node_2.node_1');
});
