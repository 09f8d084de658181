/** A run that stands as a script says, one status for each question, and a clock that nobody waits for. */

import { followRun, type Beside } from '../../../src/client/follow.ts';
import { ClientError, type RunEnd, type RunHandle } from '../../../src/client/index.ts';
import type { NodeView, OpenItem, RunParts, RunStatus } from '../../../src/protocol/index.ts';
import { StoreError } from '../../../src/store/index.ts';

export interface Moment {
  readonly status: RunStatus;
  readonly nodes?: readonly NodeView[];
  readonly open?: readonly OpenItem[];
  readonly feedback?: RunParts['feedback'];
}

const NONE: RunStatus['counts'] = {
  total: 0,
  pending: 0,
  running: 0,
  waiting: 0,
  succeeded: 0,
  reused: 0,
  failed: 0,
  skipped: 0,
  cancelled: 0,
  uncertain: 0,
};

export function status(
  over: Partial<Omit<RunStatus, 'counts'>> & { counts?: Partial<RunStatus['counts']> },
): RunStatus {
  const { counts = {}, ...rest } = over;
  return {
    phase: 'running',
    revision: 1,
    digest: 'd',
    firstRunId: 'c',
    startedAt: '2026-01-02T03:04:05.000Z',
    waitingFor: 0,
    ...rest,
    counts: { ...NONE, ...counts },
  };
}

const RESULT = { ref: 'r', kind: 'text', count: 1, bytes: 1 } as const;
export const DONE: RunEnd = { how: 'completed', result: { outcome: 'done', digest: 'd', revision: 1, result: RESULT } };

/** A server that is there, and no agents. */
export const HERE: Beside = {
  address: '127.0.0.1:7233',
  answers: async () => true,
  child: (workflowId) => ({ view: () => Promise.reject(new ClientError('no-run', `there is no run ${workflowId}`)) }),
  store: { get: () => Promise.reject(new StoreError('not-found', 'another store')) },
};

/**
 * Answers each question for its status with the next of the moments, or throws it; ends when there is none left.
 * @param parts what it answers to other questions
 */
export function fakeRun(
  moments: readonly (Moment | Error)[],
  parts: { readonly [Part in keyof RunParts]?: () => Promise<RunParts[Part]> } = {},
  beside: Partial<Beside> = {},
) {
  const left = [...moments];
  let now: Moment = { status: status({}) };
  let finish: (end: RunEnd) => void = () => {};
  const ended = new Promise<RunEnd>((resolve) => (finish = resolve));
  const asked: Partial<Record<keyof RunParts, number>> = {};
  const answers: Partial<Record<keyof RunParts, () => unknown>> = {
    status() {
      const next = left.shift();
      if (left.length === 0) finish(DONE);
      if (next instanceof Error) throw next;
      now = next ?? now;
      return now.status;
    },
    nodes: () => now.nodes ?? [],
    attempts: () => [],
    feedback: () => now.feedback ?? [],
    open: () => now.open ?? [],
    times: () => ({ startedAt: '', endedAt: '2026-01-01T00:00:00Z' }),
    ...parts,
  };
  const run: Pick<RunHandle, 'workflowId' | 'view' | 'follow' | 'end'> = {
    workflowId: 'run-1',
    async view(names = []) {
      const read = async (name: keyof RunParts) => {
        asked[name] = (asked[name] ?? 0) + 1;
        return [name, await answers[name]?.()] as const;
      };
      return Object.fromEntries(await Promise.all(names.map(read))) as never;
    },
    follow: (options) => followRun(run as RunHandle, { ...HERE, ...beside }, options),
    async end(signal) {
      if (signal === undefined) return ended;
      return Promise.race([
        ended,
        new Promise<never>((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        }),
      ]);
    },
  };
  return { run: run as RunHandle, asked };
}
