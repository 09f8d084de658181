/** A run at a host: as a task, by forms in the midst of a call, and by answers that a model hands on. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ids } from '../support/capabilities.ts';
import { openRig, type Rig } from '../support/rig.ts';
import { CAN, officialHost, plansOf, rawHost, type Line, type RawHost } from './hosts.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig({ capabilities: [ids] });
});
afterAll(() => rig.close());

const COUNT = {
  goal: 'Count',
  plan: { type: 'task', task: 'Say two words', capability: 'ids', arguments: { ids: ['one', 'two'] } },
};

type Requests = Readonly<Record<string, { readonly method: string; readonly params: { readonly message: string } }>>;

/** Asks for a task until it fits, as a host polls. */
async function polled(host: RawHost, taskId: string, fits: (task: Readonly<Record<string, unknown>>) => boolean) {
  for (;;) {
    const { result, error } = await host.ask('tasks/get', { taskId });
    if (result === undefined) throw new Error(JSON.stringify(error));
    if (fits(result)) return result;
  }
}

const statusIs = (status: string) => (task: Readonly<Record<string, unknown>>) => task['status'] === status;

async function startTask(host: RawHost, args: object = COUNT): Promise<string> {
  const { result } = await host.call('run_plan', args, CAN.tasks);
  expect(result).toMatchObject({ resultType: 'task', status: 'working' });
  return String(result['taskId']);
}

describe('as a task', () => {
  test('it waits under a key, is approved by it, and gives its result', async () => {
    const host = rawHost(plansOf(rig));
    const taskId = await startTask(host);
    expect(taskId).toMatch(/^plan-count-[0-9a-f]{32}$/);
    const waiting = await polled(host, taskId, statusIs('input_required'));
    const requests = waiting['inputRequests'] as Requests;
    const [[key = '', request] = []] = Object.entries(requests);
    expect(Object.keys(requests)).toHaveLength(1);
    expect(key).toMatch(/^approval-[0-9a-f]{8}-r1-[0-9a-f]{32}$/);
    expect(request).toMatchObject({ method: 'elicitation/create', params: { mode: 'form' } });
    expect(request?.params.message).toContain('Say two words');
    const inputResponses = { [key]: { action: 'accept', content: { decision: 'approve' } } };
    const update = await host.ask('tasks/update', { taskId, inputResponses });
    expect(update.result).toMatchObject({ resultType: 'complete' });
    const done = await polled(host, taskId, statusIs('completed'));
    expect(JSON.stringify(done['result'])).toContain('two');
    host.leave();
    await host.ended;
  });
});
