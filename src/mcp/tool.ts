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
import { isRecord, given } from '../protocol/index.ts';
import type { HostSession, HostCall } from './host-session.ts';
import { toOperationError } from '../operations/index.ts';
import { resultUri } from './resources.ts';

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

/** Any value. Its types are listed, since hosts send a parameter without a type as text. */
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

/**
 * Maximum bytes of an answer, since a model reads it.
 * @bound an answer to a host @beyond `TOO_LARGE`, which says where the whole is
 */
const MAX_BYTES = 100_000;

/** The content for an answer. @param elsewhere says how to get an answer that is too large */
export function contentOf(answer: object, elsewhere = 'ask for less of it'): CallToolResult {
  const json = JSON.stringify(answer);
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_BYTES) {
    const error = {
      code: 'TOO_LARGE',
      message: `the answer has ${bytes} bytes, at most ${MAX_BYTES} are given; ${elsewhere}`,
    };
    return { ...contentOf({ ok: false, error }), isError: true };
  }
  return { content: [{ type: 'text', text: json }], structuredContent: JSON.parse(json) as Record<string, unknown> };
}

/** A failure with its code, its message and its details, such as the issues of a plan. */
function failureOf(error: unknown, typed: (command: string) => string): CallToolResult {
  const { code, message, details } = toOperationError(error, typed);
  const content = contentOf({ ok: false, error: { code, message, ...details } });
  const short = content.isError === true ? contentOf({ ok: false, error: { code, message } }) : content;
  return { ...short, isError: true };
}

/** The outcome and the result of a run, or an error with the reason why it has none. @param more further fields */
export async function endedContent(
  session: HostSession,
  workflowId: string,
  call?: HostCall,
  more = {},
): Promise<CallToolResult> {
  const { receipt, error, ...ending } = await session.perform('ending', { workflowId }, call);
  const answer = { ...ending, ...given({ notes: receipt.notes }), ...more };
  if (error !== undefined) return { ...contentOf({ ...answer, error }), isError: true };
  const result = await session.perform('result', { workflowId }, call);
  const whole = contentOf({ ...answer, value: result });
  if (whole.isError !== true) return whole;
  return contentOf({
    ...answer,
    note: `its value is too large for an answer; the resource ${resultUri(workflowId)} has it`,
  });
}
