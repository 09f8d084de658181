/** The events of a worker's attempts at nodes. */

/** An event for a listener that counts executions: one when an attempt at a node begins and one when it ends. */
export interface NodeEvent {
  /** `asked`: it ended with a question to a person. `held`: its effect might not begin. */
  readonly what: 'started' | 'succeeded' | 'asked' | 'held' | 'failed';
  readonly workflowId: string;
  readonly nodeId: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
}
