/** What is under way, asked of the server beside the run, which may be silent. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ClientError, type AttemptView, type RunParts, type RunView } from '../../../src/client/index.ts';
import { fakeRun, status } from './fake-run.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const attempt = (heardAt: string): AttemptView => ({
  ...{ id: 'node_1', attempt: 1, state: 'is carried out', heardAt },
});
const underWay = (running: number) => ({ status: status({ counts: { total: 1, running } }) });
const MANY = 100;

/** The attempts of each view of a run that stands as it does, whose server answers with one after the other, or throws it. */
async function told(answers: readonly (readonly AttemptView[] | Error)[], running = 1) {
  const left = [...answers];
  const over = new AbortController();
  const attempts = vi.fn(async () => {
    const next = left.shift() ?? [];
    if (left.length === 0) over.abort();
    if (next instanceof Error) throw next;
    return next;
  });
  const { run } = fakeRun(
    Array.from({ length: MANY }, () => underWay(running)),
    { attempts },
  );
  const lists: RunView['attempts'][] = [];
  const following = (async () => {
    for await (const view of run.follow({ signal: over.signal })) lists.push(view.attempts);
  })().catch((error: unknown) => {
    if (error !== over.signal.reason) throw error;
  });
  const waited = vi.advanceTimersByTimeAsync(20_000).then(() => over.abort());
  await Promise.all([following, waited]);
  return { lists, attempts };
}

test('what changes is told, once, also that nothing is under way any more', async () => {
  const [one, two] = [[attempt('a')], [attempt('b')]];
  expect((await told([[], one, one, two, [], [], []])).lists).toEqual([[], one, two, []]);
});

test('a server that is away for a while is no change; any other trouble ends it', async () => {
  const away = new ClientError('no-server', 'away');
  const { lists } = await told([[attempt('a')], away, [attempt('a')], [attempt('b')], [], []]);
  expect(lists).toEqual([[], [attempt('a')], [attempt('b')], []]);
  await expect(told([new Error('not allowed'), [], []])).rejects.toThrow('not allowed');
});

test('the server is not asked while nothing is under way', async () => {
  const { lists, attempts } = await told([[attempt('a')]], 0);
  expect(lists.flat()).toEqual([]);
  expect(attempts).not.toHaveBeenCalled();
});

test('a run that does not answer, as without a worker, is followed by what the server tells', async () => {
  let isAsked = false;
  const answer = async (): Promise<RunParts['status']> => {
    if (isAsked) return new Promise(() => {});
    isAsked = true;
    return underWay(1).status;
  };
  const { run } = fakeRun([underWay(1)], { status: answer, attempts: async () => [attempt('a')] });
  const following = run.follow();
  const first = (await following.next()).value as RunView;
  const next = following.next();
  await vi.advanceTimersByTimeAsync(3000);
  const second = (await next).value as RunView;
  await following.return();
  expect([first, second].map(({ attempts }) => attempts.length)).toEqual([0, 1]);
  expect(second.status).toBe(first.status);
});
