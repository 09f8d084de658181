/** What is under way, asked of the server beside the run, which may be silent. */

import { expect, test, vi } from 'vitest';
import { ClientError, type AttemptView, type RunHandle } from '../../../src/client/index.ts';
import { followRun, type RunView } from '../../../src/client/follow/index.ts';
import { pulseOf } from '../../../src/client/follow/pulse.ts';
import { fakeRun, status } from './fake-run.ts';

const attempt = (heardAt: string): AttemptView => ({
  ...{ id: 'node_1', attempt: 1, state: 'is carried out', failures: 0, others: 0, heardAt },
});

/** Answers with one after the other, or throws it, and then ends the pulse. */
function server(...answers: readonly (readonly AttemptView[] | Error)[]) {
  const over = new AbortController();
  const left = [...answers];
  const attempts = vi.fn<RunHandle['attempts']>(async () => {
    const next = left.shift() ?? [];
    if (left.length === 0) over.abort();
    if (next instanceof Error) throw next;
    return next;
  });
  return { run: { attempts }, over };
}

async function told({ run, over }: ReturnType<typeof server>, isUnderWay: () => boolean = () => true) {
  const lists: (readonly AttemptView[])[] = [];
  for await (const list of pulseOf(run, isUnderWay, over.signal, 0)) lists.push(list);
  return lists;
}

test('what changes is told, once, also that nothing is under way any more', async () => {
  const [one, two] = [[attempt('a')], [attempt('b')]];
  expect(await told(server([], one, one, two, [], []))).toEqual([one, two, []]);
});

test('a server that is away for a while is no change; any other trouble ends it', async () => {
  const away = new ClientError('no-server', 'away');
  expect(await told(server([attempt('a')], away, [attempt('a')], [attempt('b')]))).toHaveLength(2);
  await expect(told(server(new Error('not allowed'), []))).rejects.toThrow('not allowed');
});

test('the server is not asked while nothing is under way', async () => {
  const { run, over } = server([attempt('a')]);
  let looks = 0;
  const isUnderWay = () => {
    looks += 1;
    if (looks === 3) over.abort();
    return false;
  };
  expect(await told({ run, over }, isUnderWay)).toEqual([]);
  expect(run.attempts).not.toHaveBeenCalled();
});

test('a run that does not answer, as without a worker, is followed by what the server tells', async () => {
  const running = { status: status({ counts: { total: 1, running: 1 } }) };
  const { run } = fakeRun(running, running, running);
  let isAsked = false;
  const silent: RunHandle = {
    ...run,
    status: () => (isAsked ? new Promise(() => {}) : ((isAsked = true), run.status())),
    attempts: () => Promise.resolve([attempt('a')]),
  };
  const views: RunView[] = [];
  const here = { address: '127.0.0.1:7233', answers: async () => true };
  vi.useFakeTimers();
  try {
    const following = followRun(silent, { signal: new AbortController().signal, server: here });
    views.push((await following.next()).value as RunView);
    const next = following.next();
    await vi.advanceTimersByTimeAsync(3000);
    views.push((await next).value as RunView);
    await following.return();
  } finally {
    vi.useRealTimers();
  }
  expect(views.map(({ attempts }) => attempts.length)).toEqual([0, 1]);
  expect(views[1]?.status).toBe(views[0]?.status);
});
