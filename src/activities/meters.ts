/** Metrics and trace spans of a worker's activities. Runs do not depend on them. */

import { Context } from '@temporalio/activity';
import {
  AGENT_WORKFLOW,
  DEFERRAL_CAUSES,
  madeAs,
  METRICS,
  NODE_ENDS,
  OUTCOMES,
  PLAN_WORKFLOW,
  type DeferralCause,
  type Metric,
} from '../protocol/index.ts';
import { ModelError, type ModelClient, type ModelUsage } from '../models/index.ts';

export type Meter = Context['metricMeter'];
type MetricCounter = ReturnType<Meter['createCounter']>;

export interface Meters {
  /** Counts an ended attempt at a node. @param executor the name of a registered capability or a set operator */
  attempt(executor: string, end: string, seconds: number): void;
  deferred(cause: DeferralCause): void;
  /** Wraps the client so that its calls are counted and traced. */
  watched(client: ModelClient, tracing: Tracing | undefined): ModelClient;
}

type CounterOf = (metric: Metric) => MetricCounter | undefined;

/** Starts rare counters at zero, since a rate misses the first event of a counter that starts at one. */
function beginAtZero(counter: CounterOf): void {
  for (const by of DEFERRAL_CAUSES) counter(METRICS.held)?.add(0, { by });
  for (const workflowType of [PLAN_WORKFLOW, AGENT_WORKFLOW]) {
    for (const outcome of OUTCOMES) counter(METRICS.runs)?.add(0, { outcome, workflowType });
    for (const end of NODE_ENDS) counter(METRICS.nodes)?.add(0, { end, workflowType });
  }
}

/** Opens the metrics of a worker. @param meter has the labels namespace and task queue; undefined: counts nothing */
export function openMeters(meter: Meter | undefined): Meters {
  const counter: CounterOf = ({ name, tells }) => meter?.createCounter(madeAs({ name }), '', tells);
  const histogram = ({ name, tells }: Metric) => meter?.createHistogram(name, 'float', '', tells);
  beginAtZero(counter);
  const [attempts, deferred] = [counter(METRICS.attempts), counter(METRICS.held)];
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
    deferred: (by) => deferred?.add(1, { by }),
    watched: (client, tracing) => ({
      name: client.name,
      complete(request, options) {
        const facts = {
          'gen_ai.operation.name': 'chat',
          'gen_ai.request.model': client.name,
          ...(request.maxTokens !== undefined && { 'gen_ai.request.max_tokens': request.maxTokens }),
          ...(request.temperature !== undefined && { 'gen_ai.request.temperature': request.temperature }),
        };
        return within(tracing, { name: `chat ${client.name}`, kind: 'client', facts }, async (tell) => {
          const since = performance.now();
          const seconds = () => (performance.now() - since) / 1000;
          try {
            const reply = await client.complete(request, options);
            call(client.name, 'ok', seconds(), reply.usage);
            tell({
              'gen_ai.response.model': reply.model,
              'gen_ai.response.finish_reasons': [reply.finish],
              'gen_ai.usage.input_tokens': reply.usage.inputTokens,
              'gen_ai.usage.output_tokens': reply.usage.outputTokens,
            });
            return reply;
          } catch (error) {
            const { kind, usage } = error instanceof ModelError ? error : { kind: 'error', usage: undefined };
            call(client.name, kind, seconds(), usage);
            if (error instanceof ModelError) tell({ 'error.type': kind });
            throw error;
          }
        });
      },
    }),
  };
}

/**
 * Attributes of a span, named by OpenTelemetry's conventions. They never contain goals, arguments, results or messages.
 */
export type SpanFacts = Readonly<Record<string, string | number | readonly string[]>>;

export interface WorkSpan {
  readonly name: string;
  /** `client` if the span is a wait for another server. */
  readonly kind: 'internal' | 'client';
  readonly facts: SpanFacts;
  /** The topmost run. The spans of a run and its agents form one trace. */
  readonly run: { readonly namespace: string; readonly workflowId: string };
}

export interface Tracing {
  /** Runs the work within a span and rethrows its errors. The work may add attributes with `tell`. */
  within<T>(span: WorkSpan, work: (tell: (facts: SpanFacts) => void) => Promise<T>): Promise<T>;
}

export function within<T>(
  tracing: Tracing | undefined,
  span: Omit<WorkSpan, 'run' | 'kind'> & { readonly kind?: WorkSpan['kind'] },
  work: (tell: (facts: SpanFacts) => void) => Promise<T>,
): Promise<T> {
  if (tracing === undefined) return work(() => undefined);
  const { workflowNamespace: namespace = '', workflowExecution, attempt } = Context.current().info;
  const run = { namespace, workflowId: rootOf(workflowExecution?.workflowId ?? '') };
  const facts = { 'planwright.run': workflowExecution?.workflowId ?? '', 'planwright.attempt': attempt };
  return tracing.within({ kind: 'internal', ...span, facts: { ...span.facts, ...facts }, run }, work);
}

/** Matches the end of an agent's workflow id: digits of the root run's id, then node ids. */
const OF_AGENTS = /\.[^.]{1,8}(?:\.(?:node|step)_\d+(?:\.\d+)?)+$/;

function rootOf(workflowId: string): string {
  return workflowId.replace(OF_AGENTS, '');
}
