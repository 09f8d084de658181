/** The spans of a worker's activities, where somebody wants them: of planning, of nodes, of calls to models. */

import { Context } from '@temporalio/activity';
import { ModelError, type ModelClient } from '../models/index.ts';

/** Facts of a span by the names of OpenTelemetry's conventions; never a goal, an argument, a result or a message. */
export type SpanFacts = Readonly<Record<string, string | number | readonly string[]>>;

/** A piece of work that is told as a span. */
export interface WorkSpan {
  readonly name: string;
  /** `client`: it waits for another server. */
  readonly kind: 'internal' | 'client';
  readonly facts: SpanFacts;
  /** The run that it belongs to: all spans of a run, and of the agents that work for it, make one trace. */
  readonly run: { readonly namespace: string; readonly workflowId: string };
}

/** Where spans go, as `openTracing` makes it of OpenTelemetry. */
export interface Tracing {
  /** Does the work within a span, which ends with it; `tell` adds facts. An error of the work is thrown on. */
  within<T>(span: WorkSpan, work: (tell: (facts: SpanFacts) => void) => Promise<T>): Promise<T>;
}

/** Without a tracing the work is done, and that is all. */
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

/** An agent's run has the id of the run whose node it is, the digits of its chain (`agentsIdOf`), and behind them the node's. */
const OF_AGENTS = /\.[^.]{1,8}(?:\.(?:node|step)_\d+(?:\.\d+)?)+$/;

function rootOf(workflowId: string): string {
  return workflowId.replace(OF_AGENTS, '');
}

/** The same client, with a span for each call. */
export function tracedClient(client: ModelClient, tracing: Tracing | undefined): ModelClient {
  if (tracing === undefined) return client;
  return {
    name: client.name,
    complete(request, options) {
      const asked = {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': client.name,
        ...(request.maxTokens !== undefined && { 'gen_ai.request.max_tokens': request.maxTokens }),
        ...(request.temperature !== undefined && { 'gen_ai.request.temperature': request.temperature }),
      };
      return within(tracing, { name: `chat ${client.name}`, kind: 'client', facts: asked }, async (tell) => {
        try {
          const { usage, ...reply } = await client.complete(request, options);
          tell({
            'gen_ai.response.model': reply.model,
            'gen_ai.response.finish_reasons': [reply.finish],
            'gen_ai.usage.input_tokens': usage.inputTokens,
            'gen_ai.usage.output_tokens': usage.outputTokens,
          });
          return { ...reply, usage };
        } catch (error) {
          if (error instanceof ModelError) tell({ 'error.type': error.kind });
          throw error;
        }
      });
    },
  };
}
