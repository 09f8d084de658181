/** What programs rely on in the types of the package: held against the built declarations. */

import type { Effect, JsonValue } from 'planwright';
import { defineCapability, type Question, type TaskContext } from 'planwright/capabilities';
import type {
  Answer,
  AttemptView,
  Control,
  Decision,
  Duration,
  FailureDetail,
  NodeView,
  OpenItem,
  Outcome,
  PlanClient,
  ResultHandle,
  RunEnd,
  RunHandle,
  RunResult,
  RunSettings,
  RunStatus,
  RunView,
  StartOptions,
  TraceEntry,
} from 'planwright/client';
import type { Result } from 'planwright/results';
import type { PluginOptions, WorkerOptions } from 'planwright/worker';
import { z } from 'zod';

/** Types that a signature of a program can name. */
export type Named = [Answer, AttemptView, Control, Decision, Duration, NodeView, OpenItem, Outcome, RunStatus, RunView];

export function narrowed(result: RunResult): readonly NodeView[] {
  if (result.outcome === 'done') {
    result.result satisfies ResultHandle;
    return [];
  }
  if (result.outcome === 'partial') return result.missing;
  result.by satisfies string | undefined;
  // @ts-expect-error a run that was stopped may have no result
  result.result satisfies ResultHandle;
  return result.missing ?? [];
}

export async function startedTwice(plans: PlanClient): Promise<boolean> {
  // @ts-expect-error a number is no plan document
  await plans.start(7);
  const { ok } = await plans.start({ goal: 'Count', plan: { type: 'task', task: 'Count to two', capability: 'say' } });
  return ok;
}

export function failed(end: RunEnd): FailureDetail | undefined {
  // @ts-expect-error only an end that is completed has a result
  void end.result;
  return end.how === 'failed' ? end.details[0] : undefined;
}

export function audited(entry: TraceEntry): string | undefined {
  switch (entry.what) {
    case 'decision':
      return entry.said?.kind satisfies Decision['kind'] | undefined;
    case 'control':
      return entry.said?.action satisfies Control['action'] | undefined;
    case 'refused':
      return entry.said?.refusal;
    case 'answer':
      return entry.said?.question;
    default:
      // @ts-expect-error nobody says what a node does
      return entry.said.by;
  }
}

export const SETTINGS: RunSettings = {
  mode: 'reactive',
  approval: { rules: [{ effect: 'at-most-once', roles: ['operator'], count: 2 }] },
  approvalDeadline: '1h30m',
  answerDeadline: 5000,
  context: { field: 4.2 },
};
// @ts-expect-error a mode that there is not
export const MODE: StartOptions = { options: { mode: 'express' } };
// @ts-expect-error a duration without a unit
export const DEADLINE: StartOptions = { options: { approvalDeadline: '24' } };
// @ts-expect-error an option that there is not
export const OPTION: StartOptions = { options: { deadline: '24h' } };

export async function used(plans: PlanClient, run: RunHandle): Promise<Result> {
  const started = await plans.start('text', { options: { onFailure: 'partial' } });
  if (!started.ok) started.issues satisfies readonly { readonly message: string }[];
  // @ts-expect-error a message needs to say by whom
  await run.decide({ kind: 'approve', digest: 'd' });
  for await (const view of run.follow({ signal: AbortSignal.timeout(1000) })) view satisfies RunView;
  const result = await run.result();
  if (result.kind === 'text') result.text satisfies string;
  return result;
}

const declared = { name: 'n', description: 'd', input: z.object({ of: z.number() }), effect: 'read' } as const;
export const work = defineCapability({
  ...declared,
  output: 'value',
  execute: (task: TaskContext<{ of: number }>): JsonValue => task.arguments.of,
});
export const asks = defineCapability({
  ...declared,
  kind: 'wait',
  output: 'value',
  execute: ({ arguments: { of } }): Question => ({ text: of.toFixed() }),
});
export const KINDS = [work.kind satisfies undefined, asks.kind satisfies 'wait', work.effect satisfies Effect];
// @ts-expect-error a text is no number
defineCapability({ ...declared, output: 'text', execute: ({ arguments: { of } }) => of });
// @ts-expect-error what asks a person only reads
defineCapability({ ...declared, kind: 'wait', effect: 'idempotent', output: 'value', execute: () => ({ text: '' }) });

export const WORKS = ({ registry, store }: PluginOptions): Pick<WorkerOptions, 'registry' | 'store' | 'sdk'> => ({
  registry,
  store,
  sdk: { maxCachedWorkflows: 1, identity: 'worker-1' },
});
