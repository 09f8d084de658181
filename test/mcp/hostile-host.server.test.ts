/** Hosts that mean harm, or are badly made: nothing that nobody approved happens, nothing is lost, and each hears a word of it. */

import { describe, expect, test } from 'vitest';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { ids } from '../support/capabilities.ts';
import { sharedRig, ownRig } from '../support/rig.ts';
import {
  APPROVED,
  CAN,
  COUNT,
  MODERN,
  officialHost,
  plansOf,
  polled,
  rawHost,
  requestsOf,
  startTask,
  statusIs,
  within as withHost,
  type RawHost,
  type Task,
} from './hosts.ts';

const rig = await sharedRig({ capabilities: [ids] });

const within = <T>(work: (host: RawHost) => Promise<T>, settings: object = {}) =>
  withHost(plansOf(rig), settings, work);
const update = (host: RawHost, taskId: string, inputResponses: object) =>
  host.ask('tasks/update', { taskId, inputResponses });
const messageOf = (task: Task) => String(task['statusMessage']);

test('an answer that is given twice, and at once, is taken once', () =>
  within(async (host) => {
    const taskId = await startTask(host);
    const [key = ''] = Object.keys(await requestsOf(host, taskId));
    await Promise.all([1, 2, 3].map(() => update(host, taskId, { [key]: APPROVED })));
    await polled(host, taskId, statusIs('completed'));
    await update(host, taskId, { [key]: { action: 'accept', content: { decision: 'reject' } } });
    expect(await rig.trace(rig.client.workflow.getHandle(taskId), 'decision')).toHaveLength(1);
  }));

test('an answer about a plan that was edited meanwhile is passed over, and the new plan is asked about', () =>
  within(async (host) => {
    const taskId = await startTask(host);
    const run = rig.client.workflow.getHandle(taskId);
    const [key = ''] = Object.keys(await requestsOf(host, taskId));
    const { digest } = await rig.opened(run, ({ kind }) => kind === 'approval');
    const plan = { goal: 'Count', plan: { ...COUNT.plan, arguments: { ids: ['three'] } } };
    await rig.say(run, 'decide', { kind: 'edit', digest, plan, by: 'editor' });
    await update(host, taskId, { [key]: APPROVED });
    const now = await polled(host, taskId, statusIs('input_required'));
    expect(Object.keys(now['inputRequests'] as object)).toEqual([expect.stringMatching(/^approval-[0-9a-f]{8}-r2-/)]);
    expect(JSON.stringify(now)).toContain('three');
    expect(messageOf(now)).toContain('its plan is another one');
    expect(await rig.statuses(run)).toEqual(['pending']);
    const { json } = await host.call('wait_plan', { workflowId: taskId, waitMs: 0 });
    const answered = await host.call('answer_plan', { workflowId: taskId, key, decision: 'approve' });
    expect([json['revision'], answered.json['note']]).toEqual([2, expect.stringContaining('its plan is another one')]);
  }));

test('a person who says nothing decides nothing, and is not asked again under that key', () =>
  within(async (host) => {
    const taskId = await startTask(host);
    const [key = ''] = Object.keys(await requestsOf(host, taskId));
    await update(host, taskId, { [key]: { action: 'decline' } });
    const task = await polled(host, taskId, statusIs('working'));
    expect(messageOf(task)).toMatch(/declined to answer.*planwright approve/);
    await update(host, taskId, { [key]: APPROVED });
    expect(await rig.statuses(rig.client.workflow.getHandle(taskId))).toEqual(['pending']);
  }));

test('a host that never answers a form is waited for within a bound, and told where the run stands', async () => {
  const { client, close } = await officialHost(
    plansOf(rig),
    { capabilities: { elicitation: {} } },
    {},
    (own) => own.setRequestHandler('elicitation/create', () => new Promise(() => {})),
    { callMs: 58_000, formMs: 300 },
  );
  const { structuredContent } = await client.callTool({ name: 'run_plan', arguments: COUNT });
  expect(structuredContent).toMatchObject({
    waiting: [{ kind: 'approval' }],
    notes: [expect.stringContaining('said nothing')],
  });
  await close();
});

test('a host that goes away in the midst of a wait leaves the run as it is, and comes back to it', async () => {
  const host = rawHost(plansOf(rig));
  const { workflowId } = (await host.call('run_plan', COUNT)).json as { readonly workflowId: string };
  const waiting = host.call('wait_plan', { workflowId });
  waiting.catch(() => undefined);
  host.leave();
  await host.ended;
  await rig.approve(rig.client.workflow.getHandle(workflowId));
  await within(async (later) => {
    const done = await polled(later, workflowId, statusIs('completed'));
    expect(JSON.stringify(done['result'])).toContain('two');
  });
});

describe('a run that the host was not handed', () => {
  const tools = ['status', 'result', 'wait_plan', 'why', 'answer_plan'] as const;
  const more = {
    status: {},
    result: {},
    wait_plan: {},
    why: { node: 'node_1' },
    answer_plan: { key: 'k', decision: 'approve' },
  };

  test.each(tools)('is not told of by %s, whether it is there or not', (tool) =>
    within(async (host) => {
      const run = await rig.start(COUNT, `plan-count-${randomBytes(16).toString('hex')}`);
      const said = async (workflowId: string) => {
        const { json, isError } = await host.call(tool, { workflowId, ...more[tool] });
        return [isError, JSON.stringify(json).replaceAll(workflowId, 'ID')];
      };
      expect(await said(run.workflowId)).toEqual(await said('nothing-of-this-id'));
      expect(await said(run.workflowId)).toEqual([true, expect.stringContaining('this host was handed no run ID')]);
    }),
  );

  test.each(tools)('and that has no id is an error of usage for %s', (tool) =>
    within(async (host) => {
      const { json, isError } = await host.call(tool, { workflowId: '', ...more[tool] });
      expect([isError, json]).toMatchObject([true, { error: { code: 'USAGE' } }]);
    }),
  );

  test('is no task and no resource', () =>
    within(async (host) => {
      const { workflowId } = await rig.start(COUNT);
      for (const [method, params] of [
        ['tasks/get', { taskId: workflowId }],
        ['tasks/cancel', { taskId: workflowId }],
        ['tasks/update', { taskId: workflowId, inputResponses: {} }],
        ['resources/read', { uri: `planwright://plans/${workflowId}` }],
        ['tasks/get', { taskId: 'x'.repeat(100_000) }],
      ] as const) {
        const { error } = await host.ask(method, params);
        expect([method, error?.code]).toEqual([method, -32602]);
        expect(error?.message.length).toBeLessThan(300);
      }
      expect((await host.call('list', {})).json).toMatchObject({ runs: [] });
    }));

  test('may be named where the operator says so', () =>
    within(
      async (host) => {
        const { workflowId } = await rig.start(COUNT);
        expect((await host.call('wait_plan', { workflowId })).json).toMatchObject({ workflowId, waiting: [{}] });
      },
      { anyRun: true },
    ));
});

const NO_ANSWERS: readonly unknown[] = [
  null,
  'approve',
  7,
  { action: 'accept' },
  { action: 'accept', content: [] },
  { action: 'accept', content: { decision: 'approve-part' } },
  { action: 'accept', content: { decision: ['approve'] } },
  { content: { decision: 'approve' } },
  { action: 'approve', content: { decision: 'approve' } },
];

test('answers that are none approve nothing', () =>
  within(async (host) => {
    for (const response of NO_ANSWERS) {
      const taskId = await startTask(host);
      const [key = ''] = Object.keys(await requestsOf(host, taskId));
      await update(host, taskId, { [key]: response, ['__proto__']: APPROVED, constructor: APPROVED });
      expect([response, await rig.statuses(rig.client.workflow.getHandle(taskId))]).toEqual([response, ['pending']]);
    }
  }));

test("the way in which a run asks, conversations and limits are the operator's", () =>
  within(async (host) => {
    for (const options of [{ approval: 'effects' }, { conversation: 'c' }, { limits: {} }, { reuse: 'r' }]) {
      const { isError, json } = await host.call('run_plan', { ...COUNT, options });
      expect([isError, JSON.stringify(json)]).toEqual([true, expect.stringContaining(Object.keys(options)[0]!)]);
    }
    const found = await host.call('list', {});
    expect(found.json).toEqual({ runs: [], plans: [] });
  }));

test('more calls at once than the bound are refused, and the others go on', { tags: ['slow'] }, () =>
  within(async (host) => {
    const { workflowId } = (await host.call('run_plan', COUNT)).json as { readonly workflowId: string };
    const calls = await Promise.all(
      Array.from({ length: 60 }, () => host.call('wait_plan', { workflowId, waitMs: 5000 })),
    );
    const refused = calls.filter(({ isError }) => isError).map(({ json }) => json['error']);
    expect(refused.length).toBe(28);
    expect(refused[0]).toMatchObject({ code: 'REFUSED', message: expect.stringContaining('32 calls') as string });
  }),
);

describe('messages that are none', () => {
  test.each([
    '{',
    '[]',
    'null',
    '"text"',
    '{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
    '\u0000\u0001',
    '{"id":{}}',
  ])('%j is passed over, and the next is answered', (line) =>
    within(async (host) => {
      host.write(`${line}\n`);
      const { result } = await host.ask('tools/list');
      expect(JSON.stringify(result)).toContain('run_plan');
    }),
  );

  test('one that is too large ends the connection with a note, and its run goes on', async () => {
    const host = rawHost(plansOf(rig));
    const taskId = await startTask(host);
    host.write(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"x":"${'x'.repeat(9 * 2 ** 20)}"}}\n`);
    await host.ended;
    expect(host.notes.join()).toMatch(/could not be taken.*(size|large|buffer)/i);
    await within((later) => requestsOf(later, taskId));
  });

  test('a host that does not say that it takes tasks gets none', () =>
    within(async (host) => {
      const { workflowId } = (await host.call('run_plan', COUNT)).json as { readonly workflowId: string };
      const { error } = await host.ask('tasks/get', { taskId: workflowId }, CAN.nothing);
      expect(error).toMatchObject({ code: -32_021 });
      expect(MODERN).toBe('2026-07-28');
    }));
});

test('a word that must be signed is never taken through a host: it is shown as a command', async () => {
  const { publicKey } = generateKeyPairSync('ed25519');
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const signed = await ownRig({
    capabilities: [ids],
    identity: { keys: { operator: { publicKey: pem, subject: 'operator' } } },
  });
  await withHost(plansOf(signed), {}, async (host) => {
    const taskId = await startTask(host);
    const isCompiled = (task: Task) => messageOf(task).includes('planwright approve');
    const task = await polled(host, taskId, isCompiled);
    expect(task['status']).toBe('working');
    expect(messageOf(task)).toMatch(/planwright approve plan-count-[0-9a-f]{32} --digest [0-9a-f]{8} --key FILE/);
    const { json } = await host.call('wait_plan', { workflowId: taskId });
    expect(json).toMatchObject({
      waiting: [{ kind: 'approval', command: expect.stringContaining('--key FILE') as string }],
    });
    expect(JSON.stringify(json)).not.toContain('"key"');
  });
});
