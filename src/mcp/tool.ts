/** The tools of a host, and what hosts send to them: many write every value as text, and `null` for what they leave unset. */

import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerContext,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { exactJson } from '../plan/index.ts';
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

type Schema = Readonly<Record<string, unknown>>;

/** Any JSON, by its types: hosts write a parameter without a type as text. `null` is none, since it stands for what is unset. */
export const anyJson = z.unknown().meta({ type: ['string', 'number', 'boolean', 'array', 'object'] });

export const planDocument = z.unknown().meta({ type: ['object', 'string'] });

/** The arguments of a tool as they were meant, before they are checked; the schema that a host is shown stays the same. */
function asSent<Arguments extends z.ZodType>(schema: Arguments, also: Readonly<Record<string, string>>) {
  const wanted = z.toJSONSchema(schema, { io: 'input' }) as Schema;
  const renamed = (sent: object) => Object.entries(sent).map(([name, value]) => [also[name] ?? name, value] as const);
  return z.preprocess((sent) => readSent(isRecord(sent) ? Object.fromEntries(renamed(sent)) : sent, wanted), schema);
}

/**
 * A text is read as JSON where the schema takes no text, and members that are null are left out where it takes no null. Whatever
 * does not fit stays as it is, for the check that follows.
 * @example readSent({ n: '5', of: null }, { properties: { n: { type: 'number' }, of: { type: 'string' } } }); // { n: 5 }
 */
export function readSent(sent: unknown, schema: Schema): unknown {
  const types = typesOf(schema);
  if (types === undefined) return sent;
  const value = typeof sent === 'string' && !types.includes('string') ? (exactJson(sent) ?? sent) : sent;
  const { properties, items } = schema;
  if (Array.isArray(value) && isRecord(items)) return value.map((one) => readSent(one, items));
  if (!isRecord(value) || !isRecord(properties)) return value;
  const members = Object.entries(value).flatMap(([key, member]) => {
    const inner = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const read = isRecord(inner) ? readSent(member, inner) : member;
    const takesNull = isRecord(inner) && typesOf(inner)?.includes('null') !== false;
    return read === null && !takesNull ? [] : [[key, read]];
  });
  return Object.fromEntries(members);
}

/** undefined where values of every type fit. */
function typesOf({ type, enum: choices, anyOf }: Schema): readonly string[] | undefined {
  if (type !== undefined) return [type].flat().map(String);
  if (Array.isArray(choices)) return choices.map(typeOf);
  if (!Array.isArray(anyOf)) return undefined;
  const each = anyOf.map((one) => (isRecord(one) ? typesOf(one) : undefined));
  return each.every((one) => one !== undefined) ? each.flat() : undefined;
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
