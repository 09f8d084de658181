/** A run that stands as a script says, one status for each question, and a clock that nobody waits for. */

import type { RunEnd, RunHandle } from '../../../src/client/index.ts';
import type { NodeView, OpenItem, RunStatus } from '../../../src/protocol/index.ts';

export interface Moment {
  readonly status: RunStatus;
  readonly nodes?: readonly NodeView[];
  readonly open?: readonly OpenItem[];
  readonly feedback?: readonly string[];
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
    chain: 'c',
    startedAt: '2026-01-02T03:04:05.000Z',
    waitingFor: 0,
    ...rest,
    counts: { ...NONE, ...counts },
  };
}

const RESULT = { ref: 'r', kind: 'text', count: 1, bytes: 1 } as const;
export const DONE: RunEnd = { how: 'completed', result: { outcome: 'done', digest: 'd', revision: 1, result: RESULT } };

/** Answers each question for its status with the next of the moments, or throws it; ends when there is none left. */
export function fakeRun(...moments: readonly (Moment | Error)[]) {
  const left = [...moments];
  let now: Moment = { status: status({}) };
  let finish: (end: RunEnd) => void = () => {};
  const ended = new Promise<RunEnd>((resolve) => (finish = resolve));
  const asked = { nodes: 0, questions: 0 };
  const run: Pick<RunHandle, 'workflowId' | 'status' | 'nodes' | 'attempts' | 'feedback' | 'questions' | 'end'> = {
    workflowId: 'run-1',
    async status() {
      const next = left.shift();
      if (left.length === 0) finish(DONE);
      if (next instanceof Error) throw next;
      now = next ?? now;
      return now.status;
    },
    async *nodes() {
      asked.nodes += 1;
      yield* now.nodes ?? [];
    },
    attempts: () => Promise.resolve([]),
    feedback: () => Promise.resolve(now.feedback ?? []),
    async *questions() {
      asked.questions += 1;
      yield* now.open ?? [];
    },
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
