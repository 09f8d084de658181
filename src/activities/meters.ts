/** The counts of a worker's activities. Nothing is counted twice, and nothing depends on it. */

import type { Context } from '@temporalio/activity';
import {
  AGENT_WORKFLOW,
  HELD_BY,
  madeAs,
  METRICS,
  NODE_ENDS,
  OUTCOMES,
  PLAN_WORKFLOW,
  type Held,
} from '../protocol/index.ts';
import { ModelError, type ModelClient, type ModelUsage } from '../models/index.ts';

export type Meter = Context['metricMeter'];

export interface Meters {
  /** An attempt at a node has ended. @param executor a name of the project's registry, or an operator */
  attempt(executor: string, end: string, seconds: number): void;
  held(by: Held['by']): void;
  /** The same client, whose calls are counted. */
  counted(client: ModelClient): ModelClient;
}

/**
 * Makes the counters that are rarely above zero begin there, those of runs too: a rate of a counter that appears with its
 * first event does not see that event.
 */
function beginAtZero(meter: Meter): void {
  const begin = ({ name, tells }: (typeof METRICS)[keyof typeof METRICS], sets: readonly Record<string, string>[]) => {
    const made = meter.createCounter(madeAs({ name }), '', tells);
    for (const labels of sets) made.add(0, labels);
  };
  begin(
    METRICS.held,
    [...HELD_BY, 'run'].map((by) => ({ by })),
  );
  for (const workflowType of [PLAN_WORKFLOW, AGENT_WORKFLOW]) {
    begin(
      METRICS.runs,
      OUTCOMES.map((outcome) => ({ outcome, workflowType })),
    );
    begin(
      METRICS.nodes,
      NODE_ENDS.map((end) => ({ end, workflowType })),
    );
  }
}

/** @param meter of the worker, with its namespace and task queue; without one nothing is counted */
export function openMeters(meter: Meter | undefined): Meters {
  if (meter !== undefined) beginAtZero(meter);
  const counter = ({ name, tells }: (typeof METRICS)[keyof typeof METRICS]) =>
    meter?.createCounter(madeAs({ name }), '', tells);
  const histogram = ({ name, tells }: (typeof METRICS)[keyof typeof METRICS]) =>
    meter?.createHistogram(name, 'float', '', tells);
  const [attempts, held] = [counter(METRICS.attempts), counter(METRICS.held)];
  const [calls, tokens] = [counter(METRICS.calls), counter(METRICS.tokens)];
  const [attemptTime, callTime] = [histogram(METRICS.attemptTime), histogram(METRICS.callTime)];
  const cost = histogram(METRICS.cost);

  function call(model: string, end: string, seconds: number, usage: ModelUsage | undefined): void {
    calls?.add(1, { model, end });
    callTime?.record(seconds, { model });
    if (usage === undefined) return;
    tokens?.add(usage.inputTokens, { model, direction: 'input' });
    tokens?.add(usage.cachedInputTokens, { model, direction: 'cached' });
    tokens?.add(usage.outputTokens, { model, direction: 'output' });
    if (usage.cost !== undefined) cost?.record(usage.cost, { model });
  }

  return {
    attempt(executor, end, seconds) {
      attempts?.add(1, { executor, end });
      attemptTime?.record(seconds, { executor });
    },
    held: (by) => held?.add(1, { by: by ?? 'run' }),
    counted: (client) =>
      meter === undefined
        ? client
        : {
            name: client.name,
            async complete(request, options) {
              const since = performance.now();
              const seconds = () => (performance.now() - since) / 1000;
              try {
                const reply = await client.complete(request, options);
                call(client.name, 'ok', seconds(), reply.usage);
                return reply;
              } catch (error) {
                const { kind, usage } = error instanceof ModelError ? error : { kind: 'error', usage: undefined };
                call(client.name, kind, seconds(), usage);
                throw error;
              }
            },
          },
  };
}
