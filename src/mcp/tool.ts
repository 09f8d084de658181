/** The tools of a host, and what hosts send to them: many write every value as text, and `null` for what they leave unset. */

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
import type { Room } from './room.ts';

export type Answer = CallToolResult | InputRequiredResult;

interface Tool<Input extends z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  /** Other names of its parameters. */
  readonly also?: Readonly<Record<string, string>>;
  readonly annotations: ToolAnnotations;
  work(input: z.output<Input>, context: ServerContext): Promise<Answer>;
}

/** A tool that is about a run, its parameter `workflowId`, is about one that the host was handed. */
export function addTool<Input extends z.ZodType<object>>(server: McpServer, room: Room, tool: Tool<Input>): void {
  const { name, description, input, also = {}, annotations, work } = tool;
  const inputSchema = asSent(input, also);
  server.registerTool(name, { description, inputSchema, annotations }, async (sent, context) => {
    const { workflowId } = sent as { readonly workflowId?: string };
    try {
      if (workflowId !== undefined) await room.handedOut.check(workflowId);
      return await work(sent, context);
    } catch (error) {
      if (context.mcpReq.signal.aborted) throw error;
      return failureOf(error, room.plans.typed);
    }
  });
}

/** `null` is no value: it stands for what is unset. */
const present = z.unknown().refine((value) => value !== null, 'expected a value');

/** Any JSON, by its types: hosts write a parameter without a type as text. */
export const anyJson = present.meta({ type: ['string', 'number', 'boolean', 'array', 'object'] });

export const planDocument = present.meta({ type: ['object', 'string'] });

/** The arguments of a tool as they were meant, before they are checked; the schema that a host is shown stays the same. */
function asSent<Arguments extends z.ZodType>(schema: Arguments, also: Readonly<Record<string, string>>) {
  const renamed = (sent: object) => Object.entries(sent).map(([name, value]) => [also[name] ?? name, value] as const);
  return z.preprocess(
    (sent) => (isRecord(sent) ? readMeant(schema, Object.fromEntries(renamed(sent)) as JsonValue).meant : sent),
    schema,
  );
}
