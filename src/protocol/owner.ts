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
 * The key by which the outside world recognises a repeated attempt of a capability. `occurrence`, `iteration` and
 * `retry` count intended repetitions; all are 0 in a plan that runs once.
 * @param binding the node's identity: its key and, if it reads the goal, the goal
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

/**
 * The last digits of a chain distinguish the runs of a workflow id; the first contain the time, and are alike for a
 * minute.
 */
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
 * The id of an agent's run, from its node in the plan of this revision. A repeated node has further runs, and an agent
 * that an edit has moved keeps its id.
 * @example agentRunId({ workflowId: 'plan-1', chain: '0196...3fa9c1d2' }, 2, 'node_3'); // 'plan-1.3fa9c1d2.r2.node_3'
 */
export function agentRunId(run: Pick<Owner, 'workflowId' | 'chain'>, revision: number, node: string): string {
  return `${agentsIdOf(run)}.${activityIdOf(revision, node)}`;
}

/** The workflow id without these digits: the same for an agent of each run of an id. */
export function idInEachRun({ workflowId, chain }: Pick<Owner, 'workflowId' | 'chain'>): string {
  return workflowId.replace(`.${chainDigits(chain)}.`, '.');
}

/**
 * The name of a run for people: its workflow id, and the last 8 digits of its chain unless it is the newest of that id.
 */
export interface NamedRun {
  readonly workflowId: string;
  readonly digits?: string;
}

/** @example readRunName('plan-1@3fa9c1d2') // { workflowId: 'plan-1', digits: '3fa9c1d2' } */
export function readRunName(name: string): NamedRun {
  const [, workflowId = name, digits] = /^(.+)@([0-9a-f]{8})$/su.exec(name) ?? [];
  return { workflowId, ...(digits !== undefined && { digits }) };
}

/** A name that is unique among the runs of its workflow id. */
export function runName({ workflowId, chain }: Pick<Owner, 'workflowId' | 'chain'>): string {
  return `${workflowId}@${chainDigits(chain)}`;
}
