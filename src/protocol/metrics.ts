/** The metrics of runs, by their names in Prometheus. docs/metrics.md has a row for each. */

export interface Metric {
  /** The name in Prometheus. A histogram also has names that end in `_bucket`, `_sum` and `_count`. */
  readonly name: string;
  readonly is: 'counter' | 'gauge' | 'histogram';
  /** The labels. Each has a limited number of values, by this package or the project's config. */
  readonly labels: readonly string[];
  readonly tells: string;
}

function metric(is: Metric['is'], name: string, labels: readonly string[], tells: string): Metric {
  return { name, is, labels, tells };
}

export const METRICS = {
  runs: metric('counter', 'planwright_runs_total', ['outcome'], 'ended runs and agents, by outcome'),
  nodes: metric(
    'counter',
    'planwright_nodes_total',
    ['end'],
    'ended nodes, by their final state; a node that is retried counts each time',
  ),
  openItems: metric(
    'gauge',
    'planwright_open_items',
    ['kind', 'older'],
    'items that wait for a person, by kind, and by how long they have waited: more than 0s, 5m, 1h, 1d',
  ),
  inboxRead: metric(
    'gauge',
    'planwright_inbox_read_timestamp_seconds',
    [],
    'when the items that wait for a person were last counted, in seconds since 1970',
  ),
  attempts: metric(
    'counter',
    'planwright_attempts_total',
    ['executor', 'end'],
    'attempts at nodes, by capability or operator, and by how they ended: succeeded, asked, held, failed',
  ),
  attemptTime: metric(
    'histogram',
    'planwright_attempt_duration_seconds',
    ['executor'],
    'how long attempts at nodes took',
  ),
  held: metric(
    'counter',
    'planwright_held_total',
    ['by'],
    'activities that were deferred before they began, by cause: the run, a version, a fault, a model, a budget',
  ),
  calls: metric(
    'counter',
    'planwright_model_calls_total',
    ['model', 'end'],
    'model calls that were sent, by how they ended: ok, or the kind of the error',
  ),
  callTime: metric('histogram', 'planwright_model_call_duration_seconds', ['model'], 'how long model calls took'),
  tokens: metric(
    'counter',
    'planwright_model_tokens_total',
    ['model', 'direction'],
    'tokens that models read (input, of which cached) and wrote (output)',
  ),
  cost: metric(
    'histogram',
    'planwright_model_call_cost',
    ['model'],
    'cost of each model call, in the currency of the prices; the sum is what was spent',
  ),
} as const satisfies Readonly<Record<string, Metric>>;

/** The name under which a metric is created, without `_total`, which the exporter appends to counters. */
export function madeAs({ name }: Pick<Metric, 'name'>): string {
  return name.replace(/_total$/, '');
}

/** The upper bounds of each histogram's buckets, in the histogram's unit. The SDK's defaults are for milliseconds. */
export const BUCKETS: Readonly<Record<string, number[]>> = {
  [METRICS.attemptTime.name]: [0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 3600],
  [METRICS.callTime.name]: [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 3600],
  [METRICS.cost.name]: [0.0001, 0.001, 0.01, 0.1, 1, 10],
};
