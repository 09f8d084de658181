import type { z } from 'zod';
import { RESOLVE_OUTCOMES, type ControlAction, type DecisionKind } from '../protocol/index.ts';
import { IN_PROJECT, MAY_ACT, operation, SIGNED, textField, type CommandSpec, type Z } from './operation.ts';
import { control, decideOnPlan, FROM_PERSON, ofDecision, speaker } from './say.ts';

interface Verb<Input> extends Partial<CommandSpec> {
  readonly input: (zod: Z) => z.ZodType<Input>;
}

type Decided = Omit<Parameters<typeof decideOnPlan.run>[1], 'kind'>;

function decisionVerb<Input extends Decided>(kind: DecisionKind, does: string, verb: Verb<Input>) {
  const { input, from, ...command } = verb;
  const words = `${kind} <workflow-id>`;
  return operation({
    command: { words, hides: ['text', 'note'], place: SIGNED, from: { ...FROM_PERSON, ...from }, ...command },
    ...{ does, ...MAY_ACT, input },
    run: (plans, decision: Input) => decideOnPlan.run(plans, { ...decision, kind }),
  });
}

/**
 * Rejects the plan, which ends the run. With `--max-rejections` above 1, the run waits for an edit first. Without
 * `--digest`, asks as `approve` does.
 */
export const rejectPlan = decisionVerb('reject', 'Reject the plan that a run shows.', {
  example: 'reject plan-1 --digest 3fa9c1d2',
  input: (zod) => zod.object(ofDecision(zod)),
});

/**
 * Sends another plan, which needs its own approval (docs/approval.md#decisions). If it has errors, exits 2 with every
 * issue, and the open plan stays open. Prints what changed, like `diff`; JSON: `opened`, `diff`.
 */
export const editPlan = decisionVerb('edit', 'Replace the plan that a run shows; the new one waits for a yes.', {
  example: 'edit plan-1 --plan new.json --digest 3fa9c1d2',
  place: [...IN_PROJECT, ...SIGNED],
  from: { plan: 'document' },
  input: (zod) =>
    zod.object({
      ...ofDecision(zod),
      plan: zod.custom<unknown>((plan) => plan !== undefined).describe('the new plan'),
    }),
});

/**
 * Asks the worker's planner for another plan, and waits at most 10 minutes until that plan is compiled. Prints what
 * changed, like `diff`; JSON: `opened`, `diff`.
 */
export const revisePlan = decisionVerb('revise', 'Ask the planner for another plan, with your feedback.', {
  example: "revise plan-1 --feedback 'leave out Asia' --digest 3fa9c1d2",
  place: [...IN_PROJECT, ...SIGNED],
  input: (zod) =>
    zod.object({ ...ofDecision(zod), feedback: zod.string().describe('what the other plan should do better') }),
});

/** Withdraws the approval: nodes that have started continue, and the others wait for an approval again. */
export const withdrawApproval = decisionVerb('withdraw', 'Take back your own approval of a plan.', {
  example: 'withdraw plan-1 --digest 3fa9c1d2',
  input: (zod) => zod.object(ofDecision(zod)),
});

type Controlled = Omit<Parameters<typeof control.run>[1], 'action'>;

function actionVerb<Input extends Controlled>(action: ControlAction, does: string, verb: Verb<Input>) {
  const { input, from, ...command } = verb;
  return operation({
    command: { words: `${action} <workflow-id>`, place: SIGNED, from: { by: 'person', ...from }, ...command },
    ...{ does, ...MAY_ACT, input },
    run: (plans, message: Input) => control.run(plans, { ...message, action }),
  });
}

const fieldsOfRun = (zod: Z) => ({ workflowId: zod.string().describe('the run'), ...speaker(zod) });
const OF_RUN = { input: (zod: Z) => zod.object(fieldsOfRun(zod)) };

/** Input fields that name a node. If an edit removed the node, the plan that had it can be named too. */
const fieldsOfNode = (zod: Z) => ({
  ...fieldsOfRun(zod),
  node: zod.string().describe('the node, by id or key'),
  digest: textField(zod, 'the plan that has the node, by 8 digits of its digest (default: the open plan)'),
});
const ofNode = (verb: string) => ({
  words: `${verb} <workflow-id> <node>`,
  input: (zod: Z) => zod.object(fieldsOfNode(zod)),
});

/**
 * Pauses the run: no further node, effect or planning stage starts. Started nodes continue, and deadlines still apply.
 */
export const pauseRun = actionVerb('pause', 'Start no more nodes of a run until it is resumed.', OF_RUN);

/**
 * Resumes a paused run. Also retries after a fault of the store, the disk or the model, and grants a spent budget once
 * more.
 */
export const resumeRun = actionVerb('resume', 'Go on with a paused run, or with one that waits after a fault.', OF_RUN);

/** Kills the run: it ends as `aborted`, and commands that wait for it exit 5. No approval rule restricts this. */
export const killRun = actionVerb('kill', 'End a run at once, and record why.', {
  example: "kill plan-1 --comment 'the beam is lost'",
  input: (zod) =>
    zod.object({ ...fieldsOfRun(zod), comment: zod.string().describe('why; the run records it with your name') }),
});

/**
 * Retries a failed, cancelled or uncertain node. For an uncertain one give `--comment`: how you know that it did not
 * happen.
 */
export const retryNode = actionVerb('retry-node', 'Run a node again that ended without a result.', ofNode('retry'));

/** Skips the node and the nodes that need its result. Nodes that only come after it run. */
export const skipNode = actionVerb('skip-node', 'Go on without a node.', ofNode('skip'));

/** Sets the outcome of an uncertain node, or the result of a node that failed. */
export const resolveNode = actionVerb('resolve', 'Say whether an uncertain effect happened, with its result.', {
  ...ofNode('resolve'),
  example: 'resolve plan-1 node_3 --outcome failed',
  from: { value: 'json' },
  input: (zod) =>
    zod.object({
      ...fieldsOfNode(zod),
      outcome: zod.enum(RESOLVE_OUTCOMES).describe('succeeded (it happened) or failed (it did not)'),
      value: zod.unknown().optional().describe('with succeeded: its result; a set is the list of its ids'),
    }),
});

/** Cancels a node. If it is running, its capability is asked to stop. */
export const cancelNode = actionVerb('cancel-node', 'Stop a node, and skip what depends on it.', ofNode('cancel-node'));

/**
 * Ends planning with the fallback plan, which a person must approve. Possible only while planning waits for a model.
 */
export const useFallback = actionVerb('fallback', 'Plan no further; show the fallback plan instead.', OF_RUN);

/**
 * Moves the run to a new history (docs/operations.md#releases). Running nodes stop and start again there; effects that
 * have begun end first.
 */
export const continueRun = actionVerb('go-on', 'Continue a run in a new history, on the current build.', OF_RUN);
