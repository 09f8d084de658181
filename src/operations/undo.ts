import { inverseOf } from '../activities/inverse.ts';
import { serverState } from '../activities/predecessor.ts';
import { finishedEffects, type FinishedEffect } from '../activities/run-records.ts';
import { entryJson, openStores, type Stores } from '../activities/stores.ts';
import { undoState } from '../activities/undo-claim.ts';
import type { RunSession } from '../config/project/index.ts';
import type { CapabilityRegistry } from '../capabilities/builtin/index.ts';
import { undoneText, type WrittenStep } from '../plan/index.ts';
import { counted, cutCharacters, oneLine, quoteForShell } from '../plan/text/index.ts';
import {
  executorName,
  fits,
  given,
  nodeIndex,
  runKey,
  runName,
  type ApprovalPolicy,
  type Owner,
} from '../protocol/index.ts';
import { AGENTS, inParallel } from '../store/index.ts';
import { invalidPlanError, OperationError } from './operation-error.ts';
import { IN_PROJECT, MAY_ACT, operation, SIGNED, textField } from './operation.ts';
import { needProject } from './plans.ts';

const AT_ONCE = 16;
const NAMED = 5;

/** An effect that the new plan does not undo, with the reason. */
export interface NotUndone {
  readonly node: string;
  readonly workflowId: string;
  readonly reason: string;
}

/**
 * Undoes nothing by itself: the plan waits for its approval. Its steps are the inverses of the effects of a closed run,
 * the last effect first (docs/undo.md). First it lists the effects that stay, then those that another run has undone.
 *
 * JSON: `{"ok":true,"left":[{"node","workflowId","reason"}],"undone":[{"node","workflowId","reason"}],"steps","workflowId","digest","next"}`.
 */
export const undo = operation({
  command: {
    words: 'undo <workflow-id>',
    example: 'undo plan-1',
    place: [...IN_PROJECT, 'taskQueue', ...SIGNED],
    from: { by: 'person', approval: 'approval' },
    lines: ['left', 'undone'],
    shows: {
      left: ['node', 'reason'],
      undone: ['node', 'reason'],
      ...{ steps: 'value', workflowId: 'value', digest: 'value', next: 'value' },
    },
  },
  host: { fields: ['workflowId'] },
  does: 'Plan how to undo what a closed run did; the plan waits for a yes.',
  ...MAY_ACT,
  input: (z) =>
    z.object({
      workflowId: z.string().describe('the closed run'),
      approval: z.custom<ApprovalPolicy>().optional().describe('who must approve: required, effects, or rules as JSON'),
      by: textField(z, 'who starts it'),
      role: textField(z, 'in which role'),
    }),
  async run(plans, { workflowId: name, by, role, approval }) {
    const { registry } = await needProject(plans, 'undo');
    const { document, left, undone } = await undoDocument(await plans.run(name), registry, plans.typed);
    const { plans: runs } = await plans.session();
    const started = await runs.start(document, given({ by, role, options: given({ approval }) }));
    if (!started.ok) throw invalidPlanError(started.issues);
    const { run, plan, warnings } = started;
    const { workflowId } = run;
    const next = plans.typed(`effects ${quoteForShell(workflowId)}`);
    return { left, undone, steps: plan.tasks.length - 1, workflowId, digest: plan.digest, next, warnings };
  },
});

type UndoSession = Pick<RunSession, 'plans' | 'run' | 'namespace' | 'client' | 'results'>;

/** Writes the plan that undoes the effects of a run. @throws OperationError REFUSED if there is nothing to undo */
export async function undoDocument(
  session: UndoSession,
  registry: CapabilityRegistry,
  typed: (command: string) => string,
): Promise<{ readonly document: string; readonly left: readonly NotUndone[]; readonly undone: readonly NotUndone[] }> {
  const { namespace, client } = session;
  const stores = openStores(session.results);
  const { owners, left } = await ofRun(session, stores, typed);
  const target = runName(owners[0]!);
  const undone: NotUndone[] = [];
  const steps: WrittenStep[] = [];
  const states = await inParallel(AT_ONCE, await effectsOf(owners, stores), async (effect) => {
    const { workflowId, firstRunId, binding: key } = effect.by;
    const state = await undoState({ workflowId, firstRunId, key }, namespace, stores, (id) => serverState(id, client));
    const isLeft = state.is === 'free' || state.is === 'closed';
    return { by: effect.by, state, inverse: isLeft && (await inverseOf(effect, { namespace }, stores, registry)) };
  });
  for (const { by, state, inverse } of states) {
    const { node, workflowId, firstRunId, binding: key } = by;
    const other = state.run === undefined ? '' : `run ${runName(state.run)}`;
    if (inverse === false) {
      undone.push({ node, workflowId, reason: `${other} ${state.is === 'open' ? 'is undoing it' : 'has undone it'}` });
    } else if (inverse.ok) {
      const begun = state.is === 'closed' ? `; ${other} has begun this, so find out first whether it happened` : '';
      steps.push({
        context_key: `undo_${steps.length + 1}`,
        capability: inverse.call.capability,
        task_objective: `Undo ${node} of run ${workflowId}: ${oneLine(inverse.node.task)}${begun}`,
        parameters: inverse.call.arguments,
        undoes: undoneText({ node, workflowId, firstRunId, key }),
      });
    } else if (inverse.isFault === true) {
      const message = `${node} of run ${workflowId}: ${inverse.reason}; correct it and try again`;
      throw new OperationError('REFUSED', message);
    } else left.push({ node, workflowId, reason: inverse.reason });
  }
  if (steps.length === 0) {
    const why = left.length + undone.length === 0 ? ': it did nothing but read' : list([...left, ...undone], ': ');
    throw new OperationError('REFUSED', `nothing of run ${target} is left to undo${why}`, { left, undone });
  }
  const task = `Report what was undone of ${target}`;
  const report = { context_key: 'report', capability: 'respond', task_objective: task };
  const goal = `Undo run ${target}${list(left, '; it stays as it is: ')}`;
  return { document: JSON.stringify({ goal, steps: [...steps, report] }), left, undone };
}

/** Finds the run and its agents. @throws OperationError REFUSED if it is open, or if one of its effects is uncertain */
async function ofRun(
  { plans, run, namespace }: UndoSession,
  stores: Stores,
  typed: (command: string) => string,
): Promise<{ readonly owners: readonly Owner[]; readonly left: NotUndone[] }> {
  const { status } = await run.view(['status']);
  const { workflowId } = run;
  const root = { namespace, workflowId, firstRunId: status.firstRunId };
  const store = stores.of(root);
  const agents = await inParallel(AT_ONCE, await store.names(AGENTS), (name) => entryJson(store, name));
  const family = agents.flatMap((agent) => (fits({ workflowId: 'text' }, agent) ? [agent.workflowId] : []));
  const views = await inParallel(AT_ONCE, [run, ...family.map((id) => plans.run(id))], async (one) => ({
    id: one.workflowId,
    ...(await one.view(['status', 'nodes', 'open', 'times'])),
  }));
  const end = views[0]!.times.endedAt === undefined ? undefined : await run.end();
  const removed =
    end?.how === 'completed' ? (end.result.uncertain ?? []).map(({ node }) => `${node} of ${workflowId}`) : [];
  const asked = views.flatMap(({ id, nodes, open }) => [
    ...nodes.filter((node) => node.effect === 'at-most-once' && isUnsettled(node)).map((node) => `${node.id} of ${id}`),
    ...open.filter(({ kind }) => kind === 'uncertain').map((item) => `${item.id} of ${item.workflowId}`),
  ]);
  const uncertain = [...new Set([...asked, ...removed])];
  const shown = quoteForShell(workflowId);
  if (uncertain.length > 0) {
    const settle =
      end === undefined
        ? `say what became of it with "${typed(`resolve ${shown} NODE`)}"`
        : `start "${typed(`run --reuse ${shown}`)}", say there what became of it, and undo that run`;
    const names = list(
      uncertain.map((node) => ({ node })),
      ': ',
    );
    throw new OperationError('REFUSED', `${counted(uncertain.length, 'effect')} may have happened${names}; ${settle}`);
  }
  if (end === undefined)
    throw new OperationError(
      'REFUSED',
      `run ${workflowId} is open; wait for its end, or end it with "${typed(`kill ${shown}`)}"`,
    );
  const left = views.flatMap(({ id, nodes }) =>
    nodes.flatMap(({ id: node, effect, status: now, scheduledAt, executor }) =>
      !(UNKNOWN[effect ?? 'read'] ?? []).includes(now) || scheduledAt === undefined
        ? []
        : [{ node, workflowId: id, reason: `${executorName(executor)} ended as ${now}; look whether it happened` }],
    ),
  );
  const earlier = views.flatMap(({ id, status: { mayHaveRun = [] } }) =>
    mayHaveRun.map(({ where, summary }) => ({
      ...{ node: where, workflowId: id, reason: `${summary} has no result; look whether it happened` },
    })),
  );
  return { owners: [root, ...family.map((id) => ({ ...root, workflowId: id }))], left: [...left, ...earlier] };
}

/** How effects end that may have happened, by effect. An at-most-once effect that failed did not happen. */
const UNKNOWN: Readonly<Record<string, readonly string[]>> = {
  idempotent: ['failed', 'cancelled', 'running', 'skipped'],
  'at-most-once': ['skipped'],
};

function isUnsettled({ status }: { readonly status: string }): boolean {
  return status === 'uncertain' || status === 'running';
}

/** The effects that the run and its agents did or took over, the last first. Of equal effects, the later counts. */
async function effectsOf(owners: readonly Owner[], stores: Stores): Promise<readonly FinishedEffect[]> {
  const all = (await Promise.all(owners.map((owner) => finishedEffects(stores.of(owner), owner)))).flat();
  const sorted = all.toSorted(
    (a, b) => Date.parse(a.at) - Date.parse(b.at) || nodeIndex(a.by.node) - nodeIndex(b.by.node),
  );
  const seen = new Set<string>();
  const isFirst = (key: string) => !seen.has(key) && seen.add(key) !== undefined;
  return sorted.toReversed().filter(({ by }) => isFirst(`${runKey({ ...by, namespace: '' })} ${by.binding}`));
}

function list(nodes: readonly Partial<NotUndone>[], before: string): string {
  if (nodes.length === 0) return '';
  const named = nodes
    .slice(0, NAMED)
    .map(({ node, reason }) => `${node}${reason === undefined ? '' : ` (${cutCharacters(reason, 200)})`}`);
  const more = nodes.length - NAMED;
  return `${before}${named.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}
