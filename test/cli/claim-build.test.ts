/** A worker's build at a server that answers slowly, otherwise, or not at all. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { defaultPayloadConverter } from '@temporalio/common';
import { claimBuild, refuseOtherBuild, type Mark } from '../../src/cli/working/claim-build.ts';
import { pinnedBuilds } from '../../src/config/project/index.ts';

const OWN: Mark = { workflows: 'w1', project: 'p1' };
const BUILD = { name: 'booking', build: '2' };
const UNKNOWN = Object.assign(new Error('not found'), { code: 5 });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A server that knows the build after so many questions, with this mark, and has this one as current. */
function serverWith({ knownAfter = 0, mark, current }: { knownAfter?: number; mark?: unknown; current?: string } = {}) {
  const written: unknown[] = [];
  let asked = 0;
  const workflowService = {
    describeWorkerDeploymentVersion: async () => {
      if (asked++ < knownAfter) throw UNKNOWN;
      const entries = mark === undefined ? {} : { planwright: defaultPayloadConverter.toPayload(mark) };
      return { workerDeploymentVersionInfo: { metadata: { entries } } };
    },
    updateWorkerDeploymentVersionMetadata: async ({ upsertEntries }: { upsertEntries: Record<string, never> }) =>
      void written.push(defaultPayloadConverter.fromPayload(upsertEntries['planwright']!)),
    describeWorkerDeployment: async () => ({
      workerDeploymentInfo: { routingConfig: current && { currentDeploymentVersion: { buildId: current } } },
    }),
  };
  const connection = { withDeadline: (_: number, call: () => Promise<unknown>) => call() };
  return { to: { client: { connection, workflowService }, namespace: 'n' } as never, written };
}

async function claimed(...[given]: Parameters<typeof serverWith>) {
  const { to, written } = serverWith(given);
  const told = claimBuild(to, BUILD, OWN);
  await vi.advanceTimersByTimeAsync(16_000);
  return { told: await told, written };
}

test('a current build is written down and nothing is told', async () => {
  expect(await claimed({ knownAfter: 3, current: '2' })).toEqual({ told: undefined, written: [OWN] });
});

test('a build that was written down is not written again, unless it was another program', async () => {
  expect(await claimed({ mark: OWN, current: '2' })).toEqual({ told: undefined, written: [] });
  expect(await claimed({ mark: { ...OWN, project: 'p0' }, current: '2' })).toEqual({ told: undefined, written: [OWN] });
});

test.each([
  ['1', 'is 1: build 2 is given nothing but runs pinned to it until you type: temporal worker deployment'],
  [undefined, 'is none: build 2'],
])('where %s is current the command is told', async (current, words) => {
  expect((await claimed(current === undefined ? {} : { current })).told).toContain(words);
});

test('a server that has not heard of the build after 15 s is told of', async () => {
  expect(await claimed({ knownAfter: 15_000 / 100 + 2 })).toEqual({
    told: 'the server has not heard of build 2 of deployment booking yet',
    written: [],
  });
});

test.each<[string, unknown, string | undefined]>([
  ['the same program', OWN, undefined],
  ['nobody that said so', undefined, undefined],
  ['what is no mark', { workflows: 7 }, undefined],
  ['another planwright', { ...OWN, workflows: 'w0' }, 'its workflows are w0, those of this program w1'],
  [
    'another project',
    { ...OWN, project: 'p0' },
    'keys and rules are planwright/p0, those of this project planwright/p1',
  ],
])('a build that was %s before', async (_, mark, words) => {
  const { to } = serverWith({ mark });
  const refused = await refuseOtherBuild(to, BUILD, OWN).catch((error: unknown) => error);
  if (words === undefined) expect(refused).toBeUndefined();
  else expect(refused).toMatchObject({ code: 'BUILD_TAKEN', message: expect.stringContaining(words) as string });
});

test('a build that the server has not heard of is free', async () => {
  const { to } = serverWith({ knownAfter: 1 });
  await expect(refuseOtherBuild(to, BUILD, OWN)).resolves.toBeUndefined();
});

test('of 1001 open runs 1000 are counted by their builds, those of the queue alone', async () => {
  const run = (taskQueue: string, version: string) => ({
    taskQueue,
    searchAttributes: { TemporalWorkerDeploymentVersion: [version] },
  });
  const { to } = serverWith({ current: '2' });
  const client = {
    ...(to as { client: object }).client,
    workflow: {
      async *list() {
        yield run('other', 'booking:1');
        yield { taskQueue: 'q', searchAttributes: {} };
        for (const n of Array.from({ length: 1001 }).keys()) yield run('q', n % 2 === 0 ? 'booking:1' : 'booking:2:x');
      },
    },
  };
  expect(await pinnedBuilds(client as never, 'n', 'q')).toEqual([
    { deployment: 'booking', build: '1', current: '2', runs: 500 },
    { deployment: 'booking', build: '2:x', current: '2', runs: 500 },
  ]);
});
