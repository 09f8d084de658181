/** The requests of activities, reckoned from the run. */

import {
  signatureOf,
  type Allowance,
  type CompileRequest,
  type DecideRequest,
  type PlanningRequest,
  type PlanRevision,
  type RunOptions,
  type Planning,
} from '../protocol/index.ts';
import { allowanceFor, type Run } from './run/index.ts';

export function draftRequest({ dialogue }: Run): CompileRequest {
  const { source, options, chain } = dialogue;
  return {
    chain,
    ...startOf(dialogue),
    source: source ?? { document: '' },
    ...compiling(options),
    ...within(options),
    ...ruleCapabilities(options),
    ...reusing(options),
  };
}

export function editRequest(
  { dialogue: { options, chain } }: Run,
  { plan, ref }: { readonly plan?: unknown; readonly ref?: string },
  base: string,
): CompileRequest {
  const source = ref === undefined ? { document: plan } : { ref };
  return { chain, source, base, ...compiling(options), ...within(options), ...reusing(options) };
}

/** Every request of a run buys under a key of its own: which planning it is for, and which request of it. */
export function planningRequest(
  run: Run,
  { goal, stage, requests, notes, trouble, answers }: Planning,
  work: number,
  revise?: PlanRevision,
): PlanningRequest {
  const { options, plannings, unsaid, chain } = run.dialogue;
  return {
    chain,
    ...startOf(run.dialogue),
    stage,
    call: `plan.${plannings}/${stage}/${requests}`,
    work,
    ...allowed(run, work),
    goal,
    ...(notes !== undefined && { notes }),
    ...(trouble !== undefined && { trouble }),
    ...(unsaid !== undefined && { unsaid: true as const }),
    ...(answers !== undefined && { answers }),
    ...(revise !== undefined && { revise }),
    ...within(options),
    ...compiling(options),
    ...(revise === undefined && ruleCapabilities(options)),
    ...reusing(options),
  };
}

export function decideRequest(run: Run, work: number): DecideRequest {
  const { loop, options, chain } = run.dialogue;
  const { task = { goal: '' }, round = 0, notes, observation, trouble } = loop ?? {};
  const told = { ...compiling(options), ...within(options) };
  return {
    chain,
    // The first decision has bound it to this run.
    ...(round <= 1 && startOf(run.dialogue)),
    task,
    round,
    call: `step_${round}/decide/1`,
    work,
    ...allowed(run, work),
    ...(notes !== undefined && { notes }),
    ...(observation !== undefined && { observation }),
    ...(trouble !== undefined && { trouble }),
    ...(Object.keys(told).length > 0 && { options: told }),
  };
}

function startOf({ start }: Run['dialogue']): { readonly start?: string } {
  return start === undefined ? {} : { start: signatureOf(start.token) };
}

/** The budget of work, where its run has one. */
export function allowed(run: Run, work: number): { readonly allowance?: Allowance } {
  const allowance = allowanceFor(run, work);
  return allowance === undefined ? {} : { allowance };
}

function compiling({ limits, context }: RunOptions): Pick<RunOptions, 'limits' | 'context'> {
  return { ...(limits !== undefined && { limits }), ...(context !== undefined && { context }) };
}

function reusing({ reuse, fresh }: RunOptions): Pick<CompileRequest, 'reuse'> {
  return reuse === undefined ? {} : { reuse: { of: reuse, ...(fresh && { fresh }) } };
}

function within({ conversation }: RunOptions): Pick<RunOptions, 'conversation'> {
  return conversation === undefined ? {} : { conversation };
}

function ruleCapabilities({ approval }: RunOptions): Pick<CompileRequest, 'ruleCapabilities'> {
  const rules = typeof approval === 'string' ? [] : approval.rules;
  const names = rules.flatMap(({ capability }) => capability ?? []);
  return names.length > 0 ? { ruleCapabilities: names } : {};
}
