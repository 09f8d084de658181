/** The metrics of plans, as a scrape names them: docs/metrics.md has a row for each. */

export interface Metric {
  /** As Prometheus shows it; a histogram has `_bucket`, `_sum` and `_count` behind it. */
  readonly name: string;
  readonly is: 'counter' | 'gauge' | 'histogram';
  /** Their values are bounded: by this package, or by the config of the project. */
  readonly labels: readonly string[];
  readonly tells: string;
}

function metric(is: Metric['is'], name: string, labels: readonly string[], tells: string): Metric {
  return { name, is, labels, tells };
}

export const METRICS = {
  runs: metric('counter', 'planwright_runs_total', ['outcome'], 'runs and agents that have ended, by outcome'),
  nodes: metric(
    'counter',
    'planwright_nodes_total',
    ['end'],
    'nodes that have ended, by the state they ended in; one that is retried ends again',
  ),
  openItems: metric(
    'gauge',
    'planwright_open_items',
    ['kind', 'older'],
    'what waits for a person, by kind, of those that have waited for longer than 0s, 5m, 1h, 1d',
  ),
  inboxRead: metric(
    'gauge',
    'planwright_inbox_read_timestamp_seconds',
    [],
    'when what waits was last looked at, in seconds since 1970',
  ),
  attempts: metric(
    'counter',
    'planwright_attempts_total',
    ['executor', 'end'],
    'attempts at nodes, by the capability or operator and how they ended: succeeded, asked, held, failed',
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
    'work that was held back before it began: by its run, or for a version, a fault, a model, a budget',
  ),
  calls: metric(
    'counter',
    'planwright_model_calls_total',
    ['model', 'end'],
    'calls of models that were bought, by how they ended: ok, or the kind of the error',
  ),
  callTime: metric('histogram', 'planwright_model_call_duration_seconds', ['model'], 'how long calls of models took'),
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
    'money for each call, in the currency of the prices; its sum is what was spent',
  ),
} as const satisfies Readonly<Record<string, Metric>>;

/** The name of a metric at creation: the exporter appends `_total` to counters. */
export function madeAs({ name }: Pick<Metric, 'name'>): string {
  return name.replace(/_total$/, '');
}

/** The upper bounds of a histogram's buckets in its unit, by name. The SDK's defaults are for milliseconds. */
export const BUCKETS: Readonly<Record<string, number[]>> = {
  [METRICS.attemptTime.name]: [0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 3600],
  [METRICS.callTime.name]: [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 3600],
  [METRICS.cost.name]: [0.0001, 0.001, 0.01, 0.1, 1, 10],
};
