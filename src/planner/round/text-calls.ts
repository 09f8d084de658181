/** The calls in a reply that holds them as text: servers without tools, and small models, write them so. */

import { MODEL_LIMITS } from '../../plan/index.ts';
import { jsonIn } from '../../plan/text/index.ts';
import { isDeeperThan, isRecord } from '../../protocol/index.ts';
import type { ToolCall } from '../../models/index.ts';
import { withoutThoughts } from '../form/index.ts';
import type { Tools } from './tools.ts';

export interface ReadText {
  readonly calls: readonly Omit<ToolCall, 'id'>[];
  /** The text without its thoughts. */
  readonly said: string;
}

const TAGGED = /<tool_call>([^]*?)(?:<\/tool_call>|$)/g;
const FENCED = /```[\w-]*\n([^]*?)(?:```|$)/g;

/**
 * Reads a call where the text is one: all of it, a fence, or a `<tool_call>`, around which there may be prose. Braces in
 * the middle of prose are no call, since a model quotes what it has read. Thoughts are left out.
 * @example textCalls('<tool_call>{"name":"search","arguments":{"text":"x"}}</tool_call>', tools).calls; // [{ name: 'search', ... }]
 */
export function textCalls(text: string, tools: Tools): ReadText {
  const said = withoutThoughts(text).trim();
  if (said.length > MODEL_LIMITS.bytes) return { calls: [], said };
  for (const pieces of [[said], piecesOf(said, TAGGED), piecesOf(said, FENCED)]) {
    const calls = pieces.flatMap((piece) => callsOf(jsonIn(piece), tools));
    if (calls.length > 0) return { calls, said };
  }
  return { calls: [], said };
}

function piecesOf(text: string, form: RegExp): readonly string[] {
  return [...text.matchAll(form)].map(([, piece = '']) => piece.trim());
}

/** Reading and writing a value walk it by recursion, so its depth is bounded: the arguments of a call, in a list of calls. */
function callsOf(value: unknown, tools: Tools): readonly Omit<ToolCall, 'id'>[] {
  return isDeeperThan(MODEL_LIMITS.valueDepth + 4, value) ? [] : callsIn(value, tools);
}

function callsIn(value: unknown, tools: Tools): readonly Omit<ToolCall, 'id'>[] {
  if (Array.isArray(value)) return value.flatMap((one) => callsIn(one, tools));
  if (!isRecord(value)) return [];
  if (Array.isArray(value['tool_calls'])) return callsIn(value['tool_calls'], tools);
  if (isRecord(value['function'])) return callsIn(value['function'], tools);
  const call = namedCall(value) ?? stepCall(value, tools) ?? planCall(value, tools);
  return call === undefined ? [] : [call];
}

/** OpenAI, Hermes and Qwen: `{ name, arguments }`; Llama: `{ name, parameters }`. */
function namedCall(value: Readonly<Record<string, unknown>>): Omit<ToolCall, 'id'> | undefined {
  const name = value['name'] ?? value['tool'];
  const args = value['arguments'] ?? value['parameters'];
  if (typeof name !== 'string' || (!isRecord(args) && typeof args !== 'string')) return undefined;
  return { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) };
}

/** Osprey and Calute: a step names its capability or its agent. */
function stepCall(value: Readonly<Record<string, unknown>>, tools: Tools): Omit<ToolCall, 'id'> | undefined {
  const { capability, agent, task_objective: objective, description } = value;
  const is = typeof capability === 'string' ? 'capability' : 'agent';
  const name = capability ?? agent;
  if (typeof name !== 'string') return undefined;
  const args = value['arguments'] ?? value['parameters'];
  const task = value['task'] ?? objective ?? description;
  const given = { ...(typeof task === 'string' && { task }), ...(isRecord(args) && args) };
  return { name: tools.nameOf(is, name), arguments: JSON.stringify(given) };
}

function planCall(value: Readonly<Record<string, unknown>>, tools: Tools): Omit<ToolCall, 'id'> | undefined {
  const isPlan = Array.isArray(value['nodes']) || Array.isArray(value['steps']) || isRecord(value['plan']);
  return isPlan ? { name: tools.nameOf('plan'), arguments: JSON.stringify(value) } : undefined;
}
