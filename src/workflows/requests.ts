/** The requests to activities, computed from the run. */

import {
  given,
  signatureOf,
  type Allowance,
  type CompileRequest,
  type DecideRequest,
  type PlanningRequest,
  type PlanRevision,
  type RunOptions,
  type Planning,
} from '../protocol/index.ts';
import { allowanceFor, type ReadonlyRun } from './run/index.ts';

export function draftRequest({ dialogue }: ReadonlyRun): CompileRequest {
  const { source, options, chain } = dialogue;
  return {
    chain,
    ...startOf(dialogue),
    source: source ?? { document: '' },
    ...compiling(options),
    ...ruleCapabilities(options),
  };
}

export function editRequest(
  { dialogue: { options, chain } }: ReadonlyRun,
  { plan, ref }: { readonly plan?: unknown; readonly ref?: string },
  base: string,
): CompileRequest {
  const source = ref === undefined ? { document: plan } : { ref };
  return { chain, source, base, ...compiling(options) };
}

/** Every request has its own purchase key: the number of the planning, and of the request in it. */
export function planningRequest(
  run: ReadonlyRun,
  { goal, stage, requests, notes, trouble, answers, unsaid }: Planning,
  work: number,
  revise?: PlanRevision,
): PlanningRequest {
  const { options, plannings, chain } = run.dialogue;
  return {
    chain,
    ...startOf(run.dialogue),
    stage,
    call: `plan.${plannings}/${stage}/${requests}`,
    work,
    ...allowed(run, work),
    goal,
    ...given({ notes, trouble, unsaid: unsaid && (true as const), answers, revise }),
    ...compiling(options),
    ...(revise === undefined && ruleCapabilities(options)),
  };
}

export function decideRequest(run: ReadonlyRun, work: number): DecideRequest {
  const { loop, options, chain } = run.dialogue;
  const { task = { goal: '' }, round = 0, notes, observation, trouble } = loop ?? {};
  const told = compilingStep(options);
  return {
    chain,
    // The first decision has bound the start to this run.
    ...(round <= 1 && startOf(run.dialogue)),
    task,
    round,
    call: `step_${round}/decide/1`,
    work,
    ...allowed(run, work),
    ...given({ notes, observation, trouble }),
    ...(Object.keys(told).length > 0 && { options: told }),
  };
}

function startOf({ start }: ReadonlyRun['dialogue']): { readonly start?: string } {
  return given({ start: start && signatureOf(start.signed.token) });
}

/** The allowance of work, if its run has a budget. */
export function allowed(run: ReadonlyRun, work: number): { readonly allowance?: Allowance } {
  return given({ allowance: allowanceFor(run, work) });
}

/** The options that a compile needs. */
function compiling({ reuse, fresh, ...options }: RunOptions) {
  return { ...compilingStep(options), ...(reuse !== undefined && { reuse: { of: reuse, ...(fresh && { fresh }) } }) };
}

/** A step of a loop reuses no results of other runs. */
function compilingStep({ limits, context, conversation }: Omit<RunOptions, 'reuse' | 'fresh'>) {
  return given({ limits, context, conversation });
}

function ruleCapabilities({ approval }: RunOptions): Pick<CompileRequest, 'ruleCapabilities'> {
  const rules = typeof approval === 'string' ? [] : approval.rules;
  const names = rules.flatMap(({ capability }) => capability ?? []);
  return names.length > 0 ? { ruleCapabilities: names } : {};
}
