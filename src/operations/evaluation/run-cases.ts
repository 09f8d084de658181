/** Cases are planned, one after the other and each some times, and graded. Nothing of a plan runs. */

import { createPlan } from '../../planner/index.ts';
import { addUsage, given, NO_USAGE, PLANNING } from '../../protocol/index.ts';
import type { EvalCase } from './case.ts';
import { countedModel } from './counted-model.ts';
import { gradeAttempt } from './graders.ts';
import { seeLoop } from './loop.ts';
import type { EvalSurroundings, Made, Way } from './seen.ts';

type Attempt = Awaited<ReturnType<typeof attemptOf>>;

interface Runs extends EvalSurroundings {
  /** Plans made of each case, at most 100. Default 1. */
  readonly repeat?: number | undefined;
  /** Hears each attempt when it is graded. */
  readonly hear?: ((name: string, attempt: Attempt) => void) | undefined;
}

/**
 * @returns `pass1` is the part of all attempts that passed, `passK` that of the cases of which one attempt passed, both 0 to 1.
 * @throws what `createPlan` throws, a StoreError among it
 * @example const report = await runCases(cases, { ...planner, agents, capabilities, catalogue, store, repeat: 3 });
 */
export async function runCases(all: readonly EvalCase[], runs: Runs) {
  const { model, repeat = 1 } = runs;
  const cases: Awaited<ReturnType<typeof gradedCase>>[] = [];
  for (const one of all) cases.push(await gradedCase(one, { ...runs, repeat }));
  const mean = (rate: 'pass1' | 'passK') => cases.reduce((sum, one) => sum + one[rate], 0) / cases.length;
  const attempts = cases.flatMap((one) => one.attempts);
  return {
    ...{ version: 1, model: model.name, repeat, pass1: mean('pass1'), passK: mean('passK'), cases },
    usage: attempts.map(({ usage }) => usage).reduce(addUsage, NO_USAGE),
    bought: attempts.reduce((sum, one) => sum + one.bought, 0),
    reused: attempts.reduce((sum, one) => sum + one.reused, 0),
  };
}

async function gradedCase(one: EvalCase, { repeat, hear, ...surroundings }: Runs & { readonly repeat: number }) {
  const attempts: Attempt[] = [];
  for (let at = 1; at <= repeat; at += 1) {
    const attempt = await attemptOf(one, at, surroundings);
    attempts.push(attempt);
    hear?.(one.name, attempt);
  }
  const passes = attempts.filter(({ passed }) => passed).length;
  return { name: one.name, attempts, pass1: passes / repeat, passK: passes > 0 ? 1 : 0 };
}

/** One plan of one case. `digest` is that of the plan, `steps` are those that a loop has decided. */
async function attemptOf(one: EvalCase, at: number, surroundings: EvalSurroundings) {
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
