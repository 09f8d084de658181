/** What a worker tells of its attempts at nodes. */

/** What a worker tells whoever counts executions: one event when an attempt at a node begins and one when it ends. */
export interface NodeEvent {
  /** `asked`: it ended with a question to a person. `held`: its effect might not begin. */
  readonly what: 'started' | 'succeeded' | 'asked' | 'held' | 'failed';
  readonly workflowId: string;
  readonly nodeId: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
}
