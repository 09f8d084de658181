import { ClientError } from '../client/index.ts';
import type { RunSession } from '../config/project/index.ts';
import { valuesOf } from '../plan/index.ts';
import { executorName, given, type AskedEffect, type OpenItem } from '../protocol/index.ts';
import { OperationError } from './operation-error.ts';
import { IN_PROJECT, operation } from './operation.ts';
import { readOpenPlan } from './open-plan.ts';
import { commandOf, itemCommand, answerTo } from './words/open-items.ts';

/**
 * Lists all effects of a plan with complete values. A card has at most 100 effects, and at most 2,000 characters of a
 * value. If a plan has more, its card offers `effects` instead of `approve`. The last line is the command that approves
 * the plan, with the number of effects as `--all-seen`. JSON: `{"ok":true,"workflowId","digest","effects":[those of an
 * item of inbox],"effectCount"?,"command"}`.
 */
export const effects = operation({
  command: {
    words: 'effects <workflow-id>',
    place: IN_PROJECT,
  },
  does: 'Show every effect that a run asks about, with all values.',
  input: (z) => z.object({ workflowId: z.string().describe('the run') }),
  async run(plans, { workflowId }) {
    const { run, store } = await plans.run(workflowId);
    const view = await run.view(['nodes', 'open', 'plan']);
    const items = view.open.filter((one) => one.workflowId === workflowId);
    const item = items.find(({ send }) => send.name === 'approve') ?? items.find(({ kind }) => kind === 'uncertain');
    if (item === undefined) throw new OperationError('REFUSED', `run ${workflowId} asks about no effect`);
    const plan = await readOpenPlan(store, view.plan);
    const known = new Map(item.effects?.map((one) => [one.node, one]));
    const isAsked = ({ effect = 'read', missing = [], status }: (typeof view.nodes)[number]) =>
      effect !== 'read' && (missing.length > 0 || status === 'uncertain');
    const asked = view.nodes
      .filter(isAsked)
      .map(({ id, key, executor, summary, effect = 'read', cost, resource, untrusted }) => {
        const title = `${executorName(executor)}: ${summary}`;
        return {
          node: id,
          title,
          effect,
          ...given({ key, cost, resource, untrusted }),
          values: valuesOf(plan.nodesById[id]),
          ...(item.kind === 'approval' && given({ before: known.get(id)?.before, shows: known.get(id)?.shows })),
        } satisfies AskedEffect;
      });
    const { digest, signed, effectCount, send } = item;
    const { typed } = plans;
    if (item.kind !== 'approval') {
      const listed = digest === view.plan.digest ? asked : await removedEffect(item, store);
      return { workflowId, digest, effects: listed, command: itemCommand(item, typed) };
    }
    const reason = send.input['comment'];
    const approve = { ...answerTo(item), 'all-seen': effectCount };
    const command = commandOf(workflowId, approve, { typed, signed: signed === true });
    return {
      workflowId,
      digest,
      effects: asked,
      effectCount,
      ...given({ shown: item.shown }),
      command,
      ...(reason !== undefined && { reason: true }),
    };
  },
});

/** The effects of an item about a node that an edit removed. Only the earlier plan has their values. */
async function removedEffect(
  { digest: ref, revision, ...item }: OpenItem,
  store: RunSession['store'],
): Promise<readonly AskedEffect[]> {
  const { nodesById } = await readOpenPlan(store, { ref, revision });
  return (item.effects ?? []).map((one) => ({ ...one, values: valuesOf(nodesById[one.node]) }));
}

/**
 * Checks that the approver saw every effect: the card lists all of them, or `allSeen` is the number that the command
 * `effects` prints. Checks nothing if no worker answers, since the server stores the decision.
 * @returns false if no worker answers
 * @throws OperationError REFUSED
 */
export async function checkSeen({ run }: RunSession, digest: string, allSeen?: number): Promise<boolean> {
  const parts = await run.view(['open']).catch((error: unknown) => {
    if (!(error instanceof ClientError && error.code === 'no-worker')) throw error;
  });
  const item = parts?.open.find(({ send, workflowId, digest: open }) => {
    return send.name === 'approve' && workflowId === run.workflowId && open.startsWith(digest.toLowerCase());
  });
  if (item?.leftOut === undefined || allSeen === item.effectCount) return parts !== undefined;
  const message = `a card of this plan does not have all that would happen (${item.leftOut}, and how to approve it then)`;
  throw new OperationError('REFUSED', message, { leftOut: item.leftOut });
}
