/** The steps of a loop as a run would decide them, with results that the case gives: nothing of them runs. */

import { createSet } from '../../plan/algebra/index.ts';
import { messageOf } from '../../plan/text/index.ts';
import { compilePlan, MODEL_LIMITS, type Catalogue, type CompiledPlan, type TaskNode } from '../../plan/index.ts';
import { askingOf, decideRound, isModelFailure, modelPolicy, withTools } from '../../planner/index.ts';
import {
  given,
  isRecord,
  RunFailureError,
  stepKey,
  type DecideReply,
  type Observation,
  NO_USAGE,
} from '../../protocol/index.ts';
import { writeResult, type ResultStore } from '../../store/index.ts';
import type { EvalCase, EvalLoop, GivenResult } from './case.ts';
import { executorOf, type EvalSurroundings, type Made, type SeenStep, type Way } from './seen.ts';

/** @throws what the store and `signal` throw */
export async function seeLoop(
  { goal, context, answers = [], loop }: EvalCase & { readonly loop: EvalLoop },
  { agents, capabilities, catalogue, store, model, prompts = {}, policy, signal, sleep }: EvalSurroundings,
): Promise<Made> {
  const heard = { usage: NO_USAGE };
  const world = worldOf(loop, answers);
  const steps: SeenStep[] = [];
  const tasks: TaskNode[] = [];
  let plan: CompiledPlan | undefined;
  let isRepaired = false;
  const ended = (way: Way, trouble?: string): Made => ({
    seen: { tasks, steps, way, asked: world.asked(), catalogue },
    ...{ usage: heard.usage, trouble },
  });
  const planner: Parameters<typeof decideRound>[1] = {
    decider: withTools({ policy: policy ?? modelPolicy, task: { goal, inputs: [] }, capabilities, agents }),
    ...{ store, known: capabilities, project: { inbox: false } },
    model: {
      name: model.name,
      prompts,
      format: 'nodes',
      paid: {
        get usage() {
          return heard.usage;
        },
        settle: () => undefined,
        ask: (request, _purpose, onText, stop = signal) =>
          askingOf({ model, ...given({ sleep, signal: stop }) }, heard)(request, 'write', onText),
      },
    },
    async compile(document, results) {
      const contextKeys = [...Object.keys(context ?? {}), ...Object.keys(results)];
      const compiled = compilePlan(document, { catalogue, contextKeys, isStep: true, limits: MODEL_LIMITS });
      if (!compiled.ok) return { ok: false, issues: compiled.issues.filter(({ severity }) => severity !== 'note') };
      plan = compiled.plan;
      return { ok: true, pages: [] };
    },
    cancellation: signal ?? new AbortController().signal,
    isLastAttempt: true,
    passes: () => false,
  };
  let before: Pick<Parameters<typeof decideRound>[0], 'notes' | 'observation' | 'trouble'> = {};
  for (let round = 1; round <= loop.rounds; round += 1) {
    const request = { task: { goal }, round, call: `round_${round}`, options: given({ context }), ...before };
    let reply: DecideReply;
    try {
      reply = await decideRound(request, planner);
    } catch (error) {
      signal?.throwIfAborted();
      if (isModelFailure(error) || error instanceof RunFailureError) return ended('fallback', messageOf(error));
      throw error;
    }
    const { notes, decision } = reply;
    if (decision.is === 'finish') return ended(isRepaired ? 'repaired' : 'at-once');
    if (decision.is === 'failed') return ended('fallback', decision.trouble.message);
    if (decision.is === 'none' || plan === undefined) {
      isRepaired = true;
      before = { notes, ...('trouble' in decision && { trouble: decision.trouble }) };
      continue;
    }
    tasks.push(...plan.tasks);
    const decided = stepsOf(plan, stepKey(round), catalogue);
    steps.push(...decided);
    const observation = await observed(round, decided, world, store);
    if (decision.ends === true) return ended(isRepaired ? 'repaired' : 'at-once');
    before = { notes, observation };
  }
  return ended('fallback', `no end within ${loop.rounds} rounds`);
}

interface Decided extends SeenStep {
  readonly key: string;
}

/** A step is one task, or several reads; anything else is a plan of its own, and its result is the case's for it. */
function stepsOf({ tasks, combines }: CompiledPlan, key: string, catalogue: Catalogue): readonly Decided[] {
  const own = tasks.filter(({ contextKey = '' }) => contextKey === key || contextKey.startsWith(`${key}_`));
  if (combines.length > 0 || own.length < tasks.length) return [{ name: 'submit_plan', arguments: {}, key }];
  return own.map((task) => ({
    name: executorOf(task, catalogue)?.name ?? '',
    arguments: isRecord(task.arguments) ? (task.arguments as SeenStep['arguments']) : {},
    key: task.contextKey ?? key,
  }));
}

interface World {
  of(name: string): GivenResult;
  asked(): number;
}

const ASKS: readonly string[] = ['ask', 'clarify'];

function worldOf({ gives }: EvalLoop, answers: NonNullable<EvalCase['answers']>): World {
  const taken = new Map<string, number>();
  let asked = 0;
  return {
    asked: () => asked,
    of(name) {
      if (ASKS.includes(name)) {
        const value = answers[asked++];
        return value === undefined ? { fails: 'nobody has answered' } : { value };
      }
      const list = gives[name] ?? [];
      const at = taken.get(name) ?? 0;
      taken.set(name, at + 1);
      return list[at] ?? list.at(-1) ?? { fails: `the case gives no result of ${name}` };
    },
  };
}

async function observed(
  round: number,
  decided: readonly Decided[],
  world: World,
  store: ResultStore,
): Promise<Observation> {
  const results: Record<string, Awaited<ReturnType<typeof writeResult>>> = {};
  const failures: Record<string, string> = {};
  for (const { key, name } of decided) {
    const came = world.of(name);
    if ('fails' in came) failures[key] = came.fails;
    else results[key] = await writeResult(store, resultOf(came));
  }
  const [first] = Object.values(failures);
  if (Object.keys(results).length > 0 || first === undefined) return { round, status: 'succeeded', results, failures };
  return { round, status: 'failed', results, message: first };
}

function resultOf(came: Exclude<GivenResult, { fails: string }>): Parameters<typeof writeResult>[1] {
  if ('text' in came) return { kind: 'text', text: came.text };
  if ('value' in came) return { kind: 'value', value: came.value };
  return { kind: 'set', set: createSet(came.ids.map((id) => ({ id }))) };
}
