/** The person at a run of a scenario: approves, answers, has what is uncertain or failed done again, and sees the end. */

import type { OpenItem } from '../../src/protocol/index.ts';
import type { RunHandle } from '../../src/client/index.ts';
import type { CompiledPlan } from '../../src/plan/index.ts';
import { lastFailure } from './histories.ts';
import { until, type Site, type Started } from './site.ts';

/** Whose word it is; who withdraws must have approved. */
export const BY = 'operator';
/** A site at which nothing begins or ends for so long has a wedged run. */
export const WEDGED_MS = 120_000;

export interface Attention {
  /** How often something was settled: uncertain or failed work that was begun anew. */
  settled: number;
}

/**
 * Does for the run what a person would do until it ends; a run that does not end is left to the judge. After so many
 * repetitions the person gives the work up: work that ends its worker would be repeated for ever.
 */
export async function attend(
  site: Site,
  started: Started,
  ms = WEDGED_MS,
  mostRepetitions = Infinity,
): Promise<Attention> {
  const { run } = started;
  const attention: Attention = { settled: 0 };
  const gone = new AbortController();
  const ended = end(site, run, gone.signal);
  const over = { is: false };
  void ended.then(() => (over.is = true));
  let last = Date.now() + ms;
  let written = 0;
  while (!over.is && Date.now() < last && !(await isStuck(site, run))) {
    const now = site.lines().length;
    if (now > written) last = Date.now() + ms;
    written = now;
    for (const item of await openItems(run)) {
      if (over.is) break;
      await reply(site, started, item, attention, mostRepetitions);
    }
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 100))]);
  }
  gone.abort();
  await ended;
  return attention;
}

/** A workflow task that has failed so often does not get better. */
const STUCK = 3;

async function isStuck({ client }: Site, { workflowId }: RunHandle): Promise<boolean> {
  const request = { namespace: 'default', execution: { workflowId } };
  try {
    const { pendingWorkflowTask } = await client.workflowService.describeWorkflowExecution(request);
    if ((pendingWorkflowTask?.attempt ?? 0) < STUCK) return false;
    // A task may have been lost with its workers as often.
    return lastFailure(await client.workflow.getHandle(workflowId).fetchHistory()) !== undefined;
  } catch {
    return false;
  }
}

/** Writes the end of the run down, and every error on the way; nothing where the signal comes first. */
async function end(site: Site, run: RunHandle, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const ending = await run.end(signal);
      const [outcome, reason] =
        ending.how === 'completed'
          ? [ending.result.outcome, '']
          : [ending.how === 'failed' ? ending.type : ending.how, ending.message];
      site.write({ kind: 'ended', run: run.workflowId, at: Date.now(), how: ending.how, outcome, reason });
      return;
    } catch (error) {
      if (signal.aborted) return;
      site.write({ kind: 'gave-up', run: run.workflowId, at: Date.now(), text: String(error).slice(0, 200) });
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

/** None where nobody answers: asked again later. */
async function openItems(run: RunHandle): Promise<readonly OpenItem[]> {
  const items: OpenItem[] = [];
  try {
    for (const item of (await run.view(['open'])).open) items.push(item);
  } catch {
    return [];
  }
  return items;
}

async function reply(
  site: Site,
  { run, plan }: Started,
  { id, kind, digest, nodes }: OpenItem,
  attention: Attention,
  mostRepetitions: number,
): Promise<void> {
  const { workflowId } = run;
  switch (kind) {
    case 'approval':
      await site.say({ run: workflowId, word: 'approve' }, () => run.decide({ kind: 'approve', digest, by: BY }));
      return;
    case 'question':
      await run.answer({ question: id, value: ['chosen'], by: BY }).catch(() => undefined);
      return;
    case 'uncertain':
    case 'failed': {
      if (attention.settled >= mostRepetitions) {
        const failed = { action: 'resolve', node: id, outcome: 'failed', by: BY } as const;
        await run.control(failed).catch(() => undefined);
        return;
      }
      const names = nodes.map((node) => nameOf(plan, node));
      const isHeard = await site.say({ run: workflowId, word: 'retry-node', names }, () =>
        run.control({ action: 'retry-node', node: id, by: BY, comment: 'the ledger has no entry' }),
      );
      if (isHeard) attention.settled += 1;
      return;
    }
    case 'fault':
    case 'budget':
      await run.control({ action: 'resume', by: BY }).catch(() => undefined);
  }
}

/** The name that the plan gives the work of a node; its id where it has none. */
function nameOf(plan: CompiledPlan, id: string): string {
  const node = plan.nodesById[id];
  const args = node?.kind === 'task' ? node.arguments : undefined;
  const name = typeof args === 'object' && args !== null && 'name' in args ? args['name'] : undefined;
  return typeof name === 'string' ? name : id;
}

/** Of work its node. */
export function idOf(plan: CompiledPlan, name: string): string {
  const id = Object.keys(plan.nodesById).find((one) => nameOf(plan, one) === name);
  if (id === undefined) throw new Error(`the plan has no work of the name ${name}`);
  return id;
}

/** Waits until the plan of the run is compiled. */
export function compiled({ run }: Started): Promise<void> {
  return until(
    'the plan is compiled',
    async () => (await run.view(['status']).catch(() => undefined))?.status.digest !== '',
  );
}

/** Approves the work of these names, and nothing else. */
export function approve(site: Site, { run, plan }: Started, names: readonly string[]): Promise<boolean> {
  const nodes = names.map((name) => idOf(plan, name));
  return site.say({ run: run.workflowId, word: 'approve', names }, () =>
    run.decide({ kind: 'approve-part', digest: plan.digest, nodes, by: BY }),
  );
}
