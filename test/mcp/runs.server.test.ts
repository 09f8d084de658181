/** A run at a host: as a task, by forms in the midst of a call, and by answers that a model hands on. */

import { describe, expect, test } from 'vitest';
import { ids } from '../support/capabilities.ts';
import { sharedRig } from '../support/rig.ts';
import {
  APPROVED,
  COUNT,
  officialHost,
  plansOf,
  polled,
  requestsOf,
  startTask,
  statusIs,
  within as withHost,
  type Called,
  type RawHost,
  type Requests,
  type Task,
} from './hosts.ts';

const rig = await sharedRig({ capabilities: [ids] });

const within = <T>(settings: object, work: (host: RawHost) => Promise<T>) => withHost(plansOf(rig), settings, work);

const ASK = {
  goal: 'Choose',
  steps: [
    {
      context_key: 'field',
      capability: 'ask',
      task_objective: 'Have a field named',
      parameters: { question: 'Which field?', schema: { enum: ['north', 3] } },
    },
  ],
};

describe('as a task', () => {
  test('it waits under a key, is approved by it, and gives its result', () =>
    within({}, async (host) => {
      const taskId = await startTask(host);
      expect(taskId).toMatch(/^plan-count-[0-9a-f]{32}$/);
      const requests = await requestsOf(host, taskId);
      const [[key = '', request] = []] = Object.entries(requests);
      expect(Object.keys(requests)).toHaveLength(1);
      expect(key).toMatch(/^approval-[0-9a-f]{8}-r1-[0-9a-f]{32}$/);
      expect(request).toMatchObject({ method: 'elicitation/create', params: { mode: 'form' } });
      expect(request?.params.message).toContain('Say two words');
      const update = await host.ask('tasks/update', { taskId, inputResponses: { [key]: APPROVED } });
      expect(update.result).toMatchObject({ resultType: 'complete' });
      const done = await polled(host, taskId, statusIs('completed'));
      expect(JSON.stringify(done['result'])).toContain('two');
      const entries = await rig.trace(rig.client.workflow.getHandle(taskId), 'decision');
      expect(entries).toMatchObject([{ said: { by: 'operator', comment: 'through the MCP host hostile' } }]);
    }));

  test('a question takes one of its choices, and a misfit is asked again under another key', () =>
    within({}, async (host) => {
      const taskId = await startTask(host, { plan: ASK });
      const [approval = ''] = Object.keys(await requestsOf(host, taskId));
      await host.ask('tasks/update', { taskId, inputResponses: { [approval]: APPROVED } });
      const isQuestion = (task: Task) => JSON.stringify(task['inputRequests'] ?? {}).includes('Which field');
      const first = await polled(host, taskId, isQuestion);
      const [[key = '', request] = []] = Object.entries(first['inputRequests'] as Requests);
      expect(request?.params).toMatchObject({ requestedSchema: { properties: { value: { enum: ['north', '3'] } } } });
      await host.ask('tasks/update', {
        taskId,
        inputResponses: { [key]: { action: 'accept', content: { value: 'east' } } },
      });
      const again = await polled(host, taskId, isQuestion);
      const [second = ''] = Object.keys(again['inputRequests'] as Requests);
      expect(second).toBe(`${key}-2`);
      await host.ask('tasks/update', {
        taskId,
        inputResponses: { [key]: { action: 'accept', content: { value: 'north' } } },
      });
      expect(Object.keys(await requestsOf(host, taskId))).toEqual([second]);
      await host.ask('tasks/update', {
        taskId,
        inputResponses: { [second]: { action: 'accept', content: { value: '3' } } },
      });
      const { result } = await polled(host, taskId, statusIs('completed'));
      expect(JSON.stringify(result)).toContain('field: 3');
    }));

  test('it is cancelled', () =>
    within({}, async (host) => {
      const taskId = await startTask(host);
      expect((await host.ask('tasks/cancel', { taskId })).result).toMatchObject({ resultType: 'complete' });
      await polled(host, taskId, statusIs('cancelled'));
    }));

  test('it is an error of the tool when it ends otherwise', () =>
    within({}, async (host) => {
      const taskId = await startTask(host);
      const [key = ''] = Object.keys(await requestsOf(host, taskId));
      const content = { decision: 'reject', comment: 'not these words' };
      await host.ask('tasks/update', { taskId, inputResponses: { [key]: { action: 'accept', content } } });
      const { result } = await polled(host, taskId, statusIs('completed'));
      expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'RUN_REJECTED' } } });
    }));
});

describe('a host that takes no tasks', () => {
  const answers = [
    ['of 2026', { versionNegotiation: { mode: 'auto' } }],
    ['of 2025', {}],
  ] as const;

  test.each(answers)('%s is asked in the midst of its call, and gets the result of it', async (_name, options) => {
    const messages: string[] = [];
    const { client, close } = await officialHost(
      plansOf(rig),
      { ...options, capabilities: { elicitation: {} } },
      {},
      (own) => {
        own.setRequestHandler('elicitation/create', ({ params }) => {
          messages.push(params.message);
          return { action: 'accept', content: { decision: 'approve' } };
        });
      },
    );
    const result = await client.callTool({ name: 'run_plan', arguments: COUNT });
    expect(result).toMatchObject({ structuredContent: { outcome: 'done', value: { kind: 'set', count: 2 } } });
    expect(messages).toEqual([expect.stringContaining('Say two words')]);
    const { workflowId } = result.structuredContent as { readonly workflowId: string };
    const { contents } = await client.readResource({ uri: `planwright://results/${workflowId}` });
    expect(JSON.stringify(contents)).toContain('one');
    await close();
  });

  test.each(answers)('%s that declines leaves the run waiting, and is not asked again', async (_name, options) => {
    let asked = 0;
    const { client, close } = await officialHost(
      plansOf(rig),
      { ...options, capabilities: { elicitation: {} } },
      {},
      (own) => {
        own.setRequestHandler('elicitation/create', () => {
          asked += 1;
          return { action: 'decline' };
        });
      },
    );
    const started = await client.callTool({ name: 'run_plan', arguments: COUNT });
    expect(asked).toBe(1);
    const told = started.structuredContent as { readonly workflowId: string; readonly waiting: readonly object[] };
    expect(told).toMatchObject({
      notes: [expect.stringContaining('declined to answer')],
      waiting: [{ kind: 'approval', command: expect.stringContaining('planwright approve') as string }],
    });
    const { statuses } = rig;
    expect(await statuses(rig.client.workflow.getHandle(told.workflowId))).toEqual(['pending']);
    await close();
  });

  const FOREIGN: readonly (readonly [more: object, told: string])[] = [
    [{ depends_on: ['a'] }, '"depends_on" is read as "dependencies"'],
    [{ parameters: undefined, args: { ids: ['two'] } }, '"args" is read as "arguments"'],
    [{ colour: 'red' }, 'no key "colour"'],
    [{ children: [{ task: 'Below' }] }, 'no key "children"'],
    [{ function: { name: 'ids', arguments: {} } }, '"function" stands for "capability"'],
  ];
  test.each(FOREIGN)('is told of %j in its plan, or the plan is refused for it', (more, told) =>
    within({}, async (host) => {
      const step = { capability: 'ids', task_objective: 'Say two words', parameters: { ids: ['one'] } };
      const steps = [
        { context_key: 'a', ...step },
        { context_key: 'b', ...step, ...more },
      ];
      const { json } = await host.call('run_plan', { plan: { goal: 'Count', steps } });
      expect(JSON.stringify(json).replaceAll('\\"', '"')).toContain(told);
    }),
  );

  test('that can ask nobody hands on an answer under its key', () =>
    within({}, async (host) => {
      const { json } = await host.call('run_plan', COUNT);
      const { workflowId, waiting } = json as unknown as Told;
      const [{ key } = { key: '' }] = waiting;
      const answered = await host.call('answer_plan', { workflowId, key, decision: 'approve' });
      expect(answered.json).toMatchObject({ ok: true });
      const done = await host.call('wait_plan', { workflowId });
      expect(done.json).toMatchObject({ outcome: 'done', value: { count: 2 } });
      const again = await host.call('answer_plan', { workflowId, key, decision: 'reject' });
      expect(again).toMatchObject({
        isError: true,
        json: { ok: false, note: expect.stringContaining('nothing is asked') as string },
      });
    }));

  test('that writes everything as text, and null for what is unset, is understood', { tags: ['slow'] }, () =>
    within({}, async (host) => {
      const unset = { goal: null, plan: null, options: null };
      const { plan, goal } = COUNT;
      const options = JSON.stringify({ concurrency: '2', budget: { steps: 9, money: null }, mode: null });
      for (const given of [
        { goal, plan: JSON.stringify(plan) },
        { goal, plan: JSON.stringify(COUNT) },
        { goal, plan: COUNT },
        { plan: JSON.stringify(COUNT) },
        { plan: JSON.stringify(COUNT), options },
      ]) {
        const { json } = await host.call('run_plan', { ...unset, ...given });
        const { workflowId, waiting } = json as unknown as Told;
        expect(waiting).toMatchObject([{ kind: 'approval' }]);
        const said = { value: null, outcome: null, action: null, comment: null };
        const key = waiting[0]?.key;
        const { json: done } = await host.call('answer_plan', { workflowId, key, decision: 'approve', ...said });
        expect(done).toMatchObject({ ok: true });
        expect((await host.call('wait_plan', { workflowId, waitMs: '50000' })).json).toMatchObject({ outcome: 'done' });
      }
      const own = { ...COUNT, goal: 'Another' };
      const { json } = await host.call('run_plan', { goal, plan: own });
      expect(json).toMatchObject({ warnings: [expect.stringContaining('"goal" is not read') as string] });
    }),
  );

  test('its wait ends for news alone, and says what is still open', () =>
    within({}, async (host) => {
      const { workflowId } = (await host.call('run_plan', COUNT)).json as unknown as Told;
      const { json } = await host.call('wait_plan', { workflowId, waitMs: 300 });
      expect(json).toMatchObject({ phase: 'awaiting-approval', waiting: [{ kind: 'approval' }] });
    }));
});

interface Told {
  readonly workflowId: string;
  readonly waiting: readonly { readonly key?: string; readonly command?: string }[];
}

test('a host reads the runs that it was handed', () =>
  within({}, async (host) => {
    const { workflowId } = (await host.call('run_plan', COUNT)).json as unknown as Told;
    const told = async (tool: string, args: object): Promise<Called['json']> => (await host.call(tool, args)).json;
    expect(await told('status', { workflowId, nodes: 'all' })).toMatchObject({
      phase: 'awaiting-approval',
      nodes: [{ id: 'node_1' }],
    });
    expect(await told('why', { workflowId, node: 'node_1' })).toMatchObject({ node: { status: 'pending' } });
    await expect.poll(() => told('list', {})).toMatchObject({ runs: [{ workflowId }] });
    const plan = await host.ask('resources/read', { uri: `planwright://plans/${workflowId}` });
    expect(JSON.stringify(plan.result)).toContain('Say two words');
    const none = await host.ask('resources/read', { uri: `planwright://results/${workflowId}` });
    expect(none.error).toMatchObject({ code: -32602, message: expect.stringContaining('NO_RESULT') as string });
  }));
