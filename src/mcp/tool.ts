/** The tools of a host, with lenient input: hosts send values as text, and `null` for unset ones. */

import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerContext,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { readMeant } from '../capabilities/index.ts';
import type { JsonValue } from '../plan/index.ts';
import { isRecord } from '../protocol/index.ts';
import { failureOf } from './content.ts';
import type { HostSession } from './host-session.ts';

export type HostToolAnswer = CallToolResult | InputRequiredResult;

interface Tool<Input extends z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  readonly also?: Readonly<Record<string, string>>;
  readonly annotations: ToolAnnotations;
  work(input: z.output<Input>, context: ServerContext): Promise<HostToolAnswer>;
}

/** Adds a tool. With a parameter `workflowId` it accepts only runs that the host may name. */
export function addTool<Input extends z.ZodType<object>>(
  server: McpServer,
  session: HostSession,
  tool: Tool<Input>,
): void {
  const { name, description, input, also = {}, annotations, work } = tool;
  const inputSchema = asSent(input, also);
  server.registerTool(name, { description, inputSchema, annotations }, async (sent, context) => {
    const { workflowId } = sent as { readonly workflowId?: string };
    try {
      if (workflowId !== undefined) await session.handedOut.check(workflowId);
      return await work(sent, context);
    } catch (error) {
      if (context.mcpReq.signal.aborted) throw error;
      return failureOf(error, session.plans.typed);
    }
  });
}

const present = z.unknown().refine((value) => value !== null, 'expected a value');

/** Any value. The types are listed, since hosts send a parameter without a type as text. */
export const anyJson = present.meta({ type: ['string', 'number', 'boolean', 'array', 'object'] });

export const planParameter = present.meta({ type: ['object', 'string'] });

/** Converts the sent arguments before validation. The published schema stays unchanged. */
function asSent<Arguments extends z.ZodType>(schema: Arguments, also: Readonly<Record<string, string>>) {
  const renamed = (sent: object) => Object.entries(sent).map(([name, value]) => [also[name] ?? name, value] as const);
  return z.preprocess(
    (sent) => (isRecord(sent) ? readMeant(schema, Object.fromEntries(renamed(sent)) as JsonValue).meant : sent),
    schema,
  );
}
