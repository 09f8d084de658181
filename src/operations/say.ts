import { nodeIds } from '../client/index.ts';
import type { RunSession } from '../config/project/index.ts';
import { parseAnswer, parseControl, parseDecision } from '../workflows/run/index.ts';
import { diffPlans, renderDiff, type JsonValue, type PlanDiff } from '../plan/index.ts';
import { CONTROL_ACTIONS, DECISION_KINDS, given, isNodeId, type PlanView } from '../protocol/index.ts';
import { checkSeen } from './effects.ts';
import { OperationError, wrongUsage, toOperationError } from './operation-error.ts';
import { countField, flagField, MAY_ACT, namesField, operation, SIGNED, textField, type Z } from './operation.ts';
import { readOpenPlan } from './open-plan.ts';

/** The sender of a message, as input of every message. If the session has a signer, it signs the message. */
export const speaker = (z: Z) => ({
  by: z.string().describe('who says it'),
  role: textField(z, 'in which role'),
  comment: textField(z, 'why'),
});

const DIGEST = 'the plan that is meant; the first 8 digits of its digest suffice';

/** Time in ms to wait for an answer if no worker runs. The server stores the message at once. */
const NOBODY_MS = 1;

export const ofDecision = (z: Z) => ({
  workflowId: z.string().describe('the run'),
  digest: z.string().describe('digest of the plan that is decided; its first 8 digits suffice'),
  ...speaker(z),
});
/** Input field for approving a plan whose card does not show all effects. */
export const allSeen = (z: Z) =>
  countField(z, 'of a plan whose card lacks something: how many effects it has, as `effects` shows them');
/** Input field: required if messages are signed, or if a cost or a state changed after the run first asked. */
export const shownField = (z: Z) =>
  textField(z, 'the hash of the costs and states that were shown; its first 8 digits suffice');
export const FROM_PERSON = { by: 'person', digest: 'asked' } as const;

/** Any decision. Used by the commands in verbs.ts, the page and the tools of MCP hosts. */
export const decideOnPlan = operation({
  does: 'Decides on the plan that a run shows: approves it or a part of it, rejects, revises or edits it.',
  ...MAY_ACT,
  input: (z) =>
    z.object({
      ...ofDecision(z),
      kind: z.enum(DECISION_KINDS).describe(DECISION_KINDS.join(', ')),
      nodes: namesField(z, 'with approve-part: these nodes and what they depend on'),
      plan: z.unknown().optional().describe('with edit: the plan that takes the place of the open one'),
      ref: textField(z, 'with edit, in place of the plan: its reference in the result store'),
      feedback: textField(z, 'with revise: what another plan should do better'),
      allSeen: allSeen(z),
      shown: shownField(z),
      revision: countField(z, 'the revision that is decided, beside its digest'),
      answerMs: countField(z, 'after which it is left with the server, as without a worker'),
    }),
  async run(plans, { workflowId, nodes: named, answerMs, allSeen: seenCount, ...input }) {
    const read = (nodes: readonly string[] | undefined) =>
      orUsageError(parseDecision(given({ ...input, nodes }))).message;
    // Validates everything except the names of nodes, which only the run knows.
    read(named?.map((name) => (isNodeId(name) ? name : 'node_1')));
    const session = await plans.run(workflowId);
    // If `answerMs` is set, the plan is approved before anybody has seen a card, so no card is checked.
    const isChecked = answerMs === undefined && (input.kind === 'approve' || input.kind === 'approve-part');
    const isHeard = !isChecked || (await checkSeen(session, input.digest, seenCount));
    const decision = read(named && (await nodeIds(named, session.run)));
    const isOfPlan = input.kind === 'edit' || input.kind === 'revise';
    // Reads the plan before an edit, for the comparison afterwards. If no worker answers, there will be none.
    const before = isOfPlan ? (await session.run.view(['plan']).catch(() => undefined))?.plan : undefined;
    const { reply } = await session.run.decide(decision, given({ answerMs: isHeard ? answerMs : NOBODY_MS }));
    const { plan: _, ...sent } = decision;
    return { workflowId, ...sent, reply, ...(await changeOf(session, before)) };
  },
});

/**
 * Sends an answer. The value is JSON if it parses as JSON, otherwise text. If the question expects a text, `42` is a
 * text. If it expects true or false, words such as yes, ok and nope count, and any other word exits 4. Write a value
 * that begins with a dash after ` -- `. At a terminal all open questions are asked, one at a time; a script names its
 * question. Exits 6 if somebody else has answered. An invalid value, an unknown question or a wrong role exits 2 and
 * leaves the question open.
 */
export const answerQuestion = operation({
  command: {
    words: 'answer <workflow-id> [question] [value]',
    example: 'answer plan-1 3fa9c1d2.node_3 42 --by operator',
    place: SIGNED,
    from: { by: 'person', question: 'asked', value: 'asked' },
    flags: (z) => ({ json: flagField(z, 'the value is JSON, and nothing else is taken') }),
  },
  does: 'Answer a question of a run, or of an agent that works for it.',
  readOnly: false,
  input: (z) =>
    z.object({
      workflowId: z.string().describe('the run'),
      question: z.string().describe('id of the question; default on a terminal: each one in turn'),
      value: z.custom<JsonValue>((value) => value !== undefined).describe('JSON if it parses as JSON, else text'),
      ...speaker(z),
    }),
  async run(plans, { workflowId, value, ...input }) {
    const answered = orUsageError(parseAnswer(given({ ...input, value }))).message;
    const { run } = await plans.run(workflowId);
    return { workflowId, ...answered, reply: (await run.answer(answered)).reply };
  },
});

/** Any control action. Used by the commands in verbs.ts, the page and the tools of MCP hosts. */
export const control = operation({
  does: `Steers a run: ${CONTROL_ACTIONS.join(', ')}.`,
  ...MAY_ACT,
  input: (z) =>
    z.object({
      workflowId: z.string().describe('the run'),
      action: z.string().describe(CONTROL_ACTIONS.join(', ')),
      node: textField(z, 'the node it is about, by id or key'),
      outcome: textField(z, 'with resolve: succeeded or failed'),
      value: z
        .unknown()
        .optional()
        .describe('with resolve --outcome succeeded: the result of the node; a set is the list of its ids'),
      digest: textField(z, DIGEST),
      ...speaker(z),
    }),
  async run(plans, { workflowId, node, digest, ...input }) {
    const read = (id: string | undefined) =>
      orUsageError(parseControl(given({ ...input, node: id, digest: digest?.toLowerCase() }))).message;
    read(node === undefined || isNodeId(node) ? node : 'node_1');
    const { run } = await plans.run(workflowId);
    const [id] = node === undefined ? [] : await nodeIds([node], run);
    const word = read(id);
    return { workflowId, ...word, reply: (await run.control(word)).reply };
  },
});

/**
 * Cancels the run as Temporal itself does: nothing new starts, and running nodes are asked to stop. Anybody with access
 * to the server can cancel, so it takes no name and no signature; `kill` records both. `cancel-node` stops one node.
 */
export const cancel = operation({
  command: { words: 'cancel <workflow-id>' },
  does: 'Cancel a whole run; nothing is undone.',
  ...MAY_ACT,
  input: (z) => z.object({ workflowId: z.string().describe('the run') }),
  async run(plans, { workflowId }) {
    const { run, listed } = await plans.run(workflowId);
    // The server accepts and ignores a cancellation of a closed run, so this checks first.
    if (listed !== undefined && listed.status !== 'running')
      throw new OperationError('RUN_CLOSED', `run ${workflowId} is closed; there is nothing to cancel`);
    await run.cancel();
    return { workflowId, reply: 'cancelling: nothing new starts, and running work is asked to stop' };
  },
});

function orUsageError<Read extends { readonly ok: true }>(
  reading: Read | { readonly ok: false; readonly reason: string },
): Read {
  if (reading.ok) return reading;
  throw wrongUsage(reading.reason);
}

interface PlanChange {
  readonly opened?: string;
  readonly diff?: PlanDiff;
  readonly text?: string;
  readonly note?: string;
}

/** The lines in `text` say what an edit or revision changed. If that is unknown, `note` says why. */
async function changeOf(session: RunSession, before: PlanView | undefined): Promise<PlanChange> {
  if (before === undefined) return {};
  try {
    const { plan: after } = await session.run.view(['plan']);
    if (after.digest === before.digest) return {};
    const [was, now] = [await readOpenPlan(session.store, before), await readOpenPlan(session.store, after)];
    const diff = diffPlans(was, now);
    return { opened: after.digest, diff, text: renderDiff(diff, was, now) };
  } catch (error) {
    return { note: `what has changed is not known here: ${toOperationError(error).message}` };
  }
}
