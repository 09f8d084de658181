/** A run as it is followed to its end: each view with what its server and its store tell of the nodes. */

import type { RunEnd } from '../client/index.ts';
import type { FollowOptions, RunView } from '../client/follow/index.ts';
import type { RunSession } from '../config/project/index.ts';
import type { NodeView } from '../protocol/index.ts';
import { nodesOf, ofAttempt, withFacts, type SeenNode, type Work } from './seen-run.ts';
import { readGiven, type GivenValue } from './written.ts';

/** A run at one moment. */
export interface SeenRun extends RunView {
  readonly nodes: readonly SeenNode[];
  /** By the node the arguments of each effect above read in words, once one is under way, where the store at hand has the plan. */
  readonly givenTo?: ReadonlyMap<string, string>;
}

/**
 * The views of a run until it ends, and the last of them with its end. An error of `tell` ends the watch.
 * @param pace how often the run is asked
 */
export async function followSeen(
  session: Pick<RunSession, 'run' | 'store' | 'address' | 'answers'>,
  signal: AbortSignal,
  tell: (view: SeenRun) => void,
  pace: Pick<FollowOptions, 'rest'> = {},
): Promise<{ readonly view: SeenRun; readonly end: RunEnd }> {
  const { run } = session;
  const { followRun } = await import('../client/follow/index.ts');
  const works = new Map<string, Work>();
  const gave = new Map<string, GivenValue>();
  const looked = new Set<string>();
  let before: RunView | undefined;
  let nodes: readonly SeenNode[] = [];
  let givenTo: SeenRun['givenTo'];
  let revision: number | undefined;
  for await (const view of followRun(run, { ...pace, signal, server: session })) {
    if (view.status?.revision !== revision) {
      for (const known of [works, gave, looked]) known.clear();
      givenTo = undefined;
    }
    revision = view.status?.revision;
    for (const one of view.attempts) for (const id of nodesOf(one)) works.set(id, ofAttempt(one));
    if (view.nodes !== before?.nodes) {
      const fresh = view.nodes.filter(({ id, result }) => result !== undefined && !looked.has(id));
      for (const { id } of fresh) looked.add(id);
      for (const [id, one] of await readGiven(run, fresh)) gave.set(id, one);
      const effects = view.nodes.filter(({ effect = 'read' }) => effect !== 'read');
      const isWanted = givenTo === undefined && effects.some(({ status }) => status === 'running');
      if (isWanted) givenTo = await readArguments(session, effects, revision);
    }
    const isSame = view.nodes === before?.nodes && view.attempts === before.attempts;
    if (!isSame) nodes = withFacts(view.nodes, works, gave);
    before = view;
    const now = { ...view, nodes, ...(givenTo && { givenTo }) };
    tell(now);
    if (view.end !== undefined) return { view: now, end: view.end };
  }
  throw new Error(`run ${run.workflowId} was followed past its end`);
}

/** undefined where the plan cannot be had now, or is another one by now. */
async function readArguments(
  session: Pick<RunSession, 'run' | 'store'>,
  nodes: readonly NodeView[],
  revision: number | undefined,
): Promise<SeenRun['givenTo']> {
  const { readPlan } = await import('./shown.ts');
  const { argumentWords } = await import('../plan/index.ts');
  const { passingCode } = await import('../client/follow/index.ts');
  try {
    const shown = await session.run.plan();
    if (shown.revision !== revision) return undefined;
    const { nodesById } = await readPlan(session.store, shown);
    const wordsOf = ({ id }: NodeView) => argumentWords(nodesById[id]).map((words) => [id, words] as const);
    return new Map(nodes.flatMap(wordsOf));
  } catch (error) {
    // They stand beside what is told: a store that is not the worker's is asked once, and no more is said of it.
    return passingCode(error) === undefined ? new Map() : undefined;
  }
}
