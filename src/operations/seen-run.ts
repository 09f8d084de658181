/**
 * A run as everybody is shown it: what it says of itself, who has its nodes or had them, as its server tells, and the
 * values that its store has for them. `status`, `trace`, `watch` and `run` show parts of it.
 */

import type { AttemptView, Begun, BegunView, RunEnd, RunHandle } from '../edge/client/index.ts';
import type { RunView } from '../edge/client/follow/index.ts';
import type { RunSession } from '../edge/project/index.ts';
import type { JsonValue } from '../language/plan/index.ts';
import { given, type NodeView } from '../wire/contract/index.ts';
import { readGiven, type GivenValue } from './written.ts';

/** The worker that has a node, or had it last. Times are ISO 8601. */
export interface Work {
  readonly attempt?: number;
  readonly worker?: string;
  /** When that attempt began. */
  readonly startedAt?: string;
  /** Why the attempt before it ended. */
  readonly before?: string;
}

export type SeenNode = NodeView &
  Work & {
    /** The file of records that it has written, in words. */
    readonly written?: string;
    /** The value that it gave, where that is short. */
    readonly value?: JsonValue;
  };

/** A run at one moment. */
export interface SeenRun extends RunView {
  readonly nodes: readonly SeenNode[];
}

/** Nodes as their server and their store tell of them. */
interface SeenNodes {
  readonly nodes: readonly SeenNode[];
  readonly attempts: readonly AttemptView[];
  /** Why something of a long run may be missing. */
  readonly missing?: NonNullable<Begun['missing']>;
}

interface SeenOptions {
  /** As of `RunHandle.begun`. */
  readonly histories?: number | undefined;
  /** Whether the store is looked in for short values. Default true. */
  readonly gives?: boolean;
}

/**
 * Asks the server for no more than these nodes need, and reads no further back than they go.
 * @param revision that of the open plan; work for another one is not told
 */
export async function seeNodes(
  run: Pick<RunHandle, 'attempts' | 'begun' | 'readResult'>,
  nodes: readonly NodeView[],
  revision: number | undefined,
  { histories, gives = true }: SeenOptions = {},
): Promise<SeenNodes> {
  const ended = nodes.filter(hasEnded).map(({ id }) => id);
  const until = (found: readonly BegunView[]) => {
    const known = new Set(found.flatMap((one) => (one.revision === revision ? [one.id] : [])));
    return ended.every((id) => known.has(id));
  };
  const [attempts, begun, gave] = await Promise.all([
    nodes.some(({ status }) => status === 'running') ? run.attempts() : [],
    ended.length > 0 ? run.begun(given({ until, histories })) : { nodes: [] },
    readGiven(run, gives ? nodes : []),
  ]);
  const works = new Map<string, Work>();
  for (const one of begun.nodes) if (one.revision === revision) works.set(one.id, ofBegun(one));
  for (const one of attempts) works.set(one.id, ofAttempt(one));
  const { missing } = begun as Begun;
  return { nodes: seen(nodes, works, gave), attempts, ...given({ missing }) };
}

/** The views of a run until it ends, and the last of them with its end. An error of `tell` ends the watch. */
export async function followSeen(
  session: RunSession,
  signal: AbortSignal,
  tell: (view: SeenRun) => void,
): Promise<{ readonly view: SeenRun; readonly end: RunEnd }> {
  const { followRun } = await import('../edge/client/follow/index.ts');
  const works = new Map<string, Work>();
  const gave = new Map<string, GivenValue>();
  const looked = new Set<string>();
  let before: RunView['nodes'] | undefined;
  let nodes: readonly SeenNode[] = [];
  let revision: number | undefined;
  for await (const view of followRun(session.run, { signal, server: session })) {
    if (view.status?.revision !== revision) {
      works.clear();
      gave.clear();
      looked.clear();
    }
    revision = view.status?.revision;
    for (const one of view.attempts) works.set(one.id, ofAttempt(one));
    if (view.nodes !== before) {
      const fresh = view.nodes.filter(({ id, result }) => result !== undefined && !looked.has(id));
      for (const { id } of fresh) looked.add(id);
      for (const [id, one] of await readGiven(session.run, fresh)) gave.set(id, one);
      nodes = seen(view.nodes, works, gave);
    }
    before = view.nodes;
    const now = { ...view, nodes };
    tell(now);
    if (view.end !== undefined) return { view: now, end: view.end };
  }
  throw new Error(`run ${session.run.workflowId} was followed past its end`);
}

function seen(
  nodes: readonly NodeView[],
  works: ReadonlyMap<string, Work>,
  gave: ReadonlyMap<string, GivenValue>,
): readonly SeenNode[] {
  return nodes.map((node) => ({ ...node, ...works.get(node.id), ...gave.get(node.id) }));
}

/** By a worker, for the plan that is open: what was taken over from another plan was begun for that, an agent is a run of its own. */
function hasEnded({ status, scheduledAt, endedAt, executor }: NodeView): boolean {
  const isOwn = status !== 'reused' && !executor.startsWith('agent ');
  return isOwn && scheduledAt !== undefined && (endedAt !== undefined || status === 'waiting');
}

/** A node's work while it is under way. */
export function ofAttempt({ attempt, state, worker, at, lastFailure }: AttemptView): Work {
  const isBegun = state !== 'waits for a worker';
  return given({
    attempt,
    worker: isBegun ? worker : undefined,
    startedAt: isBegun ? at : undefined,
    before: lastFailure,
  });
}

function ofBegun({ attempt, worker, startedAt, before }: BegunView): Work {
  return given({ attempt, worker, startedAt, before });
}
