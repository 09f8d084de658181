/** Cases are planned, one after the other and each some times, and graded. Nothing of a plan runs. */

import type { Agent, Capability, LoopPolicy } from '../../capabilities/index.ts';
import type { Catalogue } from '../../plan/index.ts';
import { createPlan, type CreatePlanOptions } from '../../planner/index.ts';
import type { ResultStore } from '../../store/index.ts';
import { given, PLANNING } from '../../protocol/index.ts';
import type { EvalCase } from './case.ts';
import { countedModel } from './counted-model.ts';
import { gradeAttempt } from './graders.ts';
import { seeLoop } from './loop.ts';
import { reportOf, type Attempt, type CaseReport, type Report } from './report.ts';
import type { Seen, Way } from './seen.ts';

type Planner = Pick<CreatePlanOptions, 'model' | 'prompts' | 'format' | 'withheld' | 'signal' | 'sleep'>;
/** An attempt before it is graded. */
type Made = Pick<Attempt, 'usage'> & { readonly seen: Seen; readonly trouble?: string | undefined };

export interface EvalSurroundings extends Planner {
  readonly agents: readonly Agent[];
  readonly capabilities: readonly Capability[];
  readonly catalogue: Catalogue;
  /** Decides the steps of loops. Default: the model does. */
  readonly policy?: LoopPolicy | undefined;
  /** The journal of the replies. */
  readonly store: ResultStore;
  /** Plans made of each case, at most 100. Default 1. */
  readonly repeat?: number | undefined;
  /** Hears each attempt when it is graded. */
  readonly hear?: ((name: string, attempt: Attempt) => void) | undefined;
}

/**
 * @throws what `createPlan` throws, a StoreError among it
 * @example const report = await runCases(cases, { ...planner, agents, capabilities, catalogue, store, repeat: 3 });
 */
export async function runCases(cases: readonly EvalCase[], surroundings: EvalSurroundings): Promise<Report> {
  const { repeat = 1, hear, model } = surroundings;
  const reports: CaseReport[] = [];
  for (const one of cases) {
    const attempts: Attempt[] = [];
    for (let at = 1; at <= repeat; at += 1) {
      const attempt = await attemptOf(one, at, surroundings);
      attempts.push(attempt);
      hear?.(one.name, attempt);
    }
    reports.push({ name: one.name, attempts });
  }
  return reportOf(model.name, repeat, reports);
}

async function attemptOf(one: EvalCase, at: number, surroundings: EvalSurroundings): Promise<Attempt> {
  const { store } = surroundings;
  const { model, counts } = countedModel(surroundings.model, store, `eval/${one.name}/${at}`);
  const asked = { ...surroundings, model };
  const { loop } = one;
  const { seen, usage, trouble } =
    loop === undefined ? await planned(one, asked) : await seeLoop({ ...one, loop }, asked);
  const grades = gradeAttempt(seen, one.expect);
  const passed = grades.every(({ why }) => why === undefined);
  const told = { digest: seen.plan?.digest, steps: seen.steps?.map(({ name }) => name), trouble };
  return { passed, way: seen.way, asked: seen.asked, grades, usage, ...counts, ...given(told) };
}

async function planned(one: EvalCase, surroundings: EvalSurroundings): Promise<Made> {
  const { agents, capabilities, catalogue, model, prompts, format, withheld, signal, sleep } = surroundings;
  const { history, memory } = one.conversation ?? {};
  let asked = 0;
  const made = await createPlan(one.goal, agents, {
    ...given({ prompts, format, withheld, signal, sleep, context: one.context }),
    ...{ model, capabilities, catalogue },
    conversation: { history: () => history, memory: () => memory },
    onQuestion: () => {
      asked += 1;
      return one.answers?.[asked - 1];
    },
  });
  const { plan, fallback, feedback, usage, trouble } = made;
  const writings = feedback.filter(({ is, text }) => is === 'stage' && text === PLANNING.write.title).length;
  const way: Way = fallback ? 'fallback' : writings > 1 ? 'repaired' : 'at-once';
  return { seen: { plan, tasks: plan.tasks, way, asked, catalogue }, usage, trouble: trouble?.message };
}
