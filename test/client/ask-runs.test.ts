/** Many runs asked at once: how many questions a task queue without a worker gets, and when it counts as silent. */

import { hostname } from 'node:os';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ClientError } from '../../src/client/index.ts';
import { askRuns, type FoundRun } from '../../src/client/reach/index.ts';

const PLACE = { address: '127.0.0.1:7233', namespace: 'default', taskQueue: 'planwright' };
/** No process of this host has this number. */
const GONE = `4194305@${hostname()} planwright/3fa9c1d2`;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A double of a server that knows, of each queue, who asked for work and how long ago; it takes so long to say so. */
function serverOf(
  pollers: Readonly<Record<string, readonly (readonly [identity: string, agoMs: number])[]>>,
  slowMs = 0,
) {
  const client = {
    connection: { withDeadline: (_: number, call: () => unknown) => call() },
    workflowService: {
      describeTaskQueue: async ({ taskQueue }: { taskQueue: { name: string } }) => {
        if (slowMs > 0) await new Promise((resolve) => setTimeout(resolve, slowMs));
        const known = pollers[taskQueue.name];
        if (known === undefined) throw new Error('it is kept to administrators');
        return {
          pollers: known.map(([identity, ago]) => ({
            identity,
            lastAccessTime: { seconds: { toNumber: () => (Date.now() - ago) / 1000 } },
          })),
        };
      },
    },
  };
  return { client: client as never, place: PLACE };
}

const runsOf = (taskQueue: string, count: number): FoundRun[] =>
  Array.from({ length: count }, (_, at) => ({ workflowId: `${taskQueue}-${at}`, taskQueue }));
const never = () => new Promise<never>(() => undefined);
const noWorker = () => new ClientError('no-worker', 'no worker answered');

/** Resolves with what is told once all timers have fired; how often each queue was asked. */
async function told(
  reach: ReturnType<typeof serverOf>,
  runs: readonly FoundRun[],
  ask: (run: FoundRun) => Promise<string>,
) {
  const asked: Record<string, number> = {};
  let atOnce = 0;
  let most = 0;
  const work = askRuns(reach, runs, async (run) => {
    asked[run.taskQueue] = (asked[run.taskQueue] ?? 0) + 1;
    most = Math.max(most, ++atOnce);
    return ask(run).finally(() => (atOnce -= 1));
  });
  await vi.runAllTimersAsync();
  return { ...(await work), asked, most };
}

describe('of a task queue', () => {
  test('that nobody has polled lately, or only a process that is gone, no run is asked, and the others are all the same', async () => {
    const runs = [...runsOf('old', 200), ...runsOf('killed', 200), ...runsOf('here', 30)];
    const reach = serverOf({ old: [['1@elsewhere', 66_000]], killed: [[GONE, 1000]], here: [['1@elsewhere', 1000]] });
    const found = await told(reach, runs, ({ workflowId }) => Promise.resolve(workflowId));
    expect(found.asked).toEqual({ here: 30 });
    expect(found.most).toBeLessThanOrEqual(20);
    expect(found.answers.size).toBe(30);
    expect(found.unreachable).toHaveLength(400);
    expect(found.unreachable[0]).toEqual({
      workflowId: 'old-0',
      taskQueue: 'old',
      reason: 'no worker asks for work on old, for 1 min 6 s',
      unattended: { taskQueue: 'old', since: expect.any(String) as string },
    });
  });

  test('whose worker has died moments ago three runs are asked, and the rest is not waited for', async () => {
    const reach = serverOf({ dying: [['1@elsewhere', 1000]], here: [['2@elsewhere', 1000]] });
    const runs = [...runsOf('dying', 200), ...runsOf('here', 5)];
    const found = await told(reach, runs, ({ taskQueue, workflowId }) =>
      taskQueue === 'here' ? Promise.resolve(workflowId) : never(),
    );
    expect(found.asked).toEqual({ dying: 3, here: 5 });
    expect(found.answers.size).toBe(5);
    expect(found.unreachable).toHaveLength(200);
    expect(found.unreachable[0]?.reason).toMatch(
      /^a worker asked for work on task queue dying \d+ s ago and does not answer: it is busy, or has ended$/,
    );
  });

  test('that the server says at once has no worker, no more than three are asked', async () => {
    const reach = serverOf({});
    const found = await told(reach, runsOf('none', 50), () => Promise.reject(noWorker()));
    expect(found.asked).toEqual({ none: 3 });
    expect(found.unreachable).toHaveLength(50);
    expect(new Set(found.unreachable.map(({ workflowId }) => workflowId)).size).toBe(50);
  });

  test('a fault of a run is a sign of life, and a run whose worker goes meanwhile is named alone', async () => {
    const reach = serverOf({ here: [['1@elsewhere', 0]] });
    const found = await told(reach, runsOf('here', 6), ({ workflowId }) => {
      if (workflowId === 'here-0') return Promise.reject(new ClientError('unreadable', 'odd'));
      return workflowId === 'here-5' ? Promise.reject(noWorker()) : Promise.resolve(workflowId);
    });
    expect(found.answers.size).toBe(4);
    expect(found.unreachable.map(({ workflowId, reason }) => [workflowId, reason])).toEqual([
      ['here-0', 'odd'],
      ['here-5', 'no worker answered'],
    ]);
  });

  test('a machine that is busy gives its worker more time', async () => {
    const answer = (ms: number) => () => new Promise<string>((resolve) => setTimeout(resolve, ms, 'there'));
    const idle = await told(serverOf({ here: [['1@elsewhere', 0]] }), runsOf('here', 4), answer(2000));
    expect(idle.answers.size).toBe(0);
    const busy = await told(serverOf({ here: [['1@elsewhere', 0]] }, 100), runsOf('here', 4), answer(2000));
    expect(busy.answers.size).toBe(4);
    const drowned = await told(serverOf({ here: [['1@elsewhere', 0]] }, 1000), runsOf('here', 4), answer(5001));
    expect(drowned.answers.size).toBe(0);
  });

  test('an answer that comes too late is none: a run is told once', async () => {
    let late: (value: string) => void = () => undefined;
    const work = askRuns(
      serverOf({ here: [['1@elsewhere', 0]] }),
      runsOf('here', 1),
      () => new Promise((resolve) => (late = resolve)),
    );
    await vi.runAllTimersAsync();
    const found = await work;
    late('there');
    await vi.runAllTimersAsync();
    expect([found.answers.size, found.unreachable.length]).toEqual([0, 1]);
  });
});

test('a server that is gone ends it', async () => {
  const gone = () => Promise.reject(new ClientError('no-server', 'gone'));
  const work = askRuns(serverOf({}), runsOf('any', 10), gone);
  await Promise.all([expect(work).rejects.toThrow('gone'), vi.runAllTimersAsync()]);
});

test('of a thousand queues sixty are asked at once', async () => {
  const runs = Array.from({ length: 1000 }, (_, at) => ({ workflowId: `run-${at}`, taskQueue: `queue-${at}` }));
  const found = await told(serverOf({}), runs, ({ workflowId }) => Promise.resolve(workflowId));
  expect(found.answers.size).toBe(1000);
  expect(found.most).toBeLessThanOrEqual(60);
});
