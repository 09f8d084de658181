/** The run that something in the result store belongs to, and the names of runs. */

/**
 * A run: the chain of executions that hand-overs, resets and attempts of a workflow's retry policy make. Its workflow id is unique in
 * its namespace only, and one id may be started again when it has closed.
 */
export interface Owner {
  readonly namespace: string;
  readonly workflowId: string;
  /** The run id of its first execution; of an agent's run, that of its root. */
  readonly chain: string;
}

/** The place of a run in names: no two runs share one. @example placeName({ namespace: 'default', workflowId: 'plan-1', chain: '0196...' }) // 'default/plan-1/0196...' */
export function placeName({ namespace, workflowId, chain }: Owner): string {
  return `${namespace}/${workflowId}/${chain}`;
}

/**
 * The key that a capability hands to the outside world so that a repeated attempt is recognised there. `occurrence`,
 * `iteration` and `retry` count repetitions that are meant; all are 0 in a plan that runs once.
 * @param binding what the node is approved and done as: its key and, where it is given it, the goal
 * @example idempotencyKey({ namespace: 'default', workflowId: 'plan-1', chain: '0196...' }, 'x7f...', { retry: 1 }) // 'default/plan-1/0196.../x7f.../0.0.1'
 */
export function idempotencyKey(
  place: Owner,
  binding: string,
  repetition: { occurrence?: number; iteration?: number; retry?: number } = {},
): string {
  const { occurrence = 0, iteration = 0, retry = 0 } = repetition;
  return `${placeName(place)}/${binding}/${occurrence}.${iteration}.${retry}`;
}

/** The last digits of a chain tell the runs of one workflow id from each other; the first tell the time, and are alike for a minute. */
export function chainDigits(chain: string): string {
  return chain.slice(-8);
}

/** What the ids of a run's agents begin with. That of an agent has the digits of its chain in it already. */
export function agentsIdOf({ workflowId, chain }: Pick<Owner, 'workflowId' | 'chain'>): string {
  const digits = chainDigits(chain);
  return workflowId.includes(`.${digits}.`) ? workflowId : `${workflowId}.${digits}`;
}

/** The id of the activity of a node, and the end of that of an agent's run: work of the plan before an edit may still be under way under the plain id. */
export function activityIdOf(revision: number, node: string): string {
  return revision === 1 ? node : `r${revision}.${node}`;
}

/**
 * The run of an agent, by the node that it works for in the plan of this revision. A node that was repeated by hand has further
 * ones, and an agent that an edit has carried over keeps the id it began with.
 * @example agentRunId({ workflowId: 'plan-1', chain: '0196...3fa9c1d2' }, 2, 'node_3'); // 'plan-1.3fa9c1d2.r2.node_3'
 */
export function agentRunId(run: Pick<Owner, 'workflowId' | 'chain'>, revision: number, node: string): string {
  return `${agentsIdOf(run)}.${activityIdOf(revision, node)}`;
}

/** The workflow id without these digits: the same for an agent of each run of an id. */
export function idInEachRun({ workflowId, chain }: Pick<Owner, 'workflowId' | 'chain'>): string {
  return workflowId.replace(`.${chainDigits(chain)}.`, '.');
}

/** A run as people name it: its workflow id, and the last 8 digits of its chain where it is not the newest of that id. */
export interface NamedRun {
  readonly workflowId: string;
  readonly digits?: string;
}

/** @example readRunName('plan-1@3fa9c1d2') // { workflowId: 'plan-1', digits: '3fa9c1d2' } */
export function readRunName(name: string): NamedRun {
  const [, workflowId = name, digits] = /^(.+)@([0-9a-f]{8})$/su.exec(name) ?? [];
  return { workflowId, ...(digits !== undefined && { digits }) };
}

/** The name that tells a run from others of its workflow id. */
export function runName({ workflowId, chain }: Pick<Owner, 'workflowId' | 'chain'>): string {
  return `${workflowId}@${chainDigits(chain)}`;
}
