/** Reads tool calls from text, as written by some small models and by servers without tools. */

import { MODEL_LIMITS } from '../../plan/index.ts';
import { jsonIn } from '../../plan/text/index.ts';
import { isDeeperThan, isRecord } from '../../protocol/index.ts';
import type { ToolCall } from '../../models/index.ts';
import { withoutThoughts } from '../form/index.ts';
import type { Tools } from './tools.ts';

export interface ReadText {
  readonly calls: readonly Omit<ToolCall, 'id'>[];
  readonly said: string;
}

/**
 * Patterns for tool calls in a text. `name` is the tool and `body` its arguments; without `name`, `body` is the JSON of
 * the whole call. Without a closing mark, the call extends to the end of the text. Patterns do not backtrack, so each
 * takes linear time.
 */
const FORMS: readonly RegExp[] = [
  /^(?<body>[^]*)$/g,
  // The form of Hermes and Qwen.
  /<tool_call>(?<body>[^]*?)(?:<\/tool_call>|$)/g,
  // The form of DeepSeek.
  /<｜tool▁call▁begin｜>(?:\w+<｜tool▁sep｜>)?(?<name>[^<\s]+)(?<body>[^]*?)(?:<｜tool▁call▁end｜>|$)/g,
  /```[\w-]*\n(?<body>[^]*?)(?:```|$)/g,
  // The form of Mistral and Llama.
  /\[TOOL_CALLS\]\s*(?<name>[\w.-]+)(?=\s*(?:\[ARGS\]\s*)?\{)(?:\s*\[ARGS\])?(?<body>[^]*?)(?=\[TOOL_CALLS\]|$)/g,
  /(?:\[TOOL_CALLS\]|<\|python_tag\|>)(?<body>[^]*)$/g,
  // The form of Qwen's coder models, and of Llama with JSON inside.
  /<function=(?<name>[^<>\s]{1,200})>(?<body>[^]*?)(?:<\/function>|$)/g,
  // The form of Anthropic and MiniMax.
  /<invoke name="(?<name>[^"]{1,200})">(?<body>[^]*?)(?:<\/invoke>|$)/g,
  // Calls by Kimi, with names such as functions.read:0.
  /<\|tool_call_begin\|>\s*(?<name>[^<\s:]+)(?=[<\s:])[^<]*<\|tool_call_argument_begin\|>(?<body>[^]*?)(?:<\|tool_call_end\|>|$)/g,
  // The form of GLM.
  /<tool_call>\s*(?<name>[\w.-]+)\s*(?=<arg_key>)(?<body>[^]*?)(?:<\/tool_call>|$)/g,
  // The form of OpenAI's open-weight models.
  /<\|channel\|>(?=[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>)[^<]*\bto=(?<name>[\w.-]+)[^]*?<\|message\|>(?<body>[^]*?)(?:<\|call\|>|$)/g,
  /^\[Calling tool: *(?<name>[\w.-]+)(?: with arguments:)?(?: *(?<body>\{.*\}))? *\]$/gm,
];
/** A parameter with its value: `<parameter=K>`, `<parameter name="K">`, or `<arg_key>K</arg_key><arg_value>`. */
const PARAMETER =
  /<(?:parameter(?:=| name=")|arg_key>)([^<>"]{1,100})(?=[<>"])"?(?:[^<>]{0,100}>|<\/arg_key>\s*<arg_value>)([^]*?)(?:<\/(?:parameter|arg_value)>|$)/g;
/** A call written in Python, such as `print(default_api.read(name='x', count=2))`. */
const PYTHON = /^(?:print\s*\()?\s*(?<name>[A-Za-z_][\w.]*)\s*\((?<body>[^]*?)\)\s*\)?;?$/;
const KEYWORD =
  /\s*([A-Za-z_]\w*)\s*=\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\[[^\]]*\]|\{[^}]*\}|[^\s,"'()]+)\s*(?:,|$)/gy;
/** Maximum characters of a call in Python, since its patterns search the text repeatedly. */
const MAX_PYTHON = 10_000;

/**
 * Reads tool calls in a text: the whole text, a code fence, or marks of a call within prose. Braces in prose are not a
 * call, since models quote what they have read. Thoughts are ignored.
 */
export function textCalls(text: string, tools: Tools): ReadText {
  const spoken = withoutThoughts(text).trim();
  if (spoken.length > MODEL_LIMITS.bytes) return { calls: [], said: spoken };
  for (const form of FORMS) {
    const calls = [...spoken.matchAll(form)].flatMap(({ groups = {} }) => {
      const { name, body = '' } = groups as { readonly name?: string; readonly body?: string };
      if (name !== undefined) return [{ name, arguments: argumentsIn(body.trim(), name, tools) }];
      return pythonCall(body.trim(), tools) ?? callsOf(jsonIn(body.trim()), tools);
    });
    if (calls.length > 0) return { calls, said: spoken };
  }
  return { calls: [], said: spoken };
}

/** Arguments as tags or JSON, with or without a fence. A number stays text if the tool expects text. */
function argumentsIn(body: string, name: string, tools: Tools): string {
  const found = [...body.matchAll(PARAMETER)].map(([, key = '', value = '']) => {
    const text = value.replaceAll(/^\n|\n$/g, '');
    return [key, tools.takesText(name, key) ? text : (jsonIn(text) ?? text)];
  });
  // Texts in JSON may contain tags. Anything else is passed on, so that the model gets an error about it.
  const isJson = body.startsWith('{') || found.length === 0;
  return isJson ? body.replaceAll(/^```\w*|```$/g, '').trim() : JSON.stringify(Object.fromEntries(found));
}

function pythonCall(text: string, tools: Tools): readonly Omit<ToolCall, 'id'>[] | undefined {
  const { name = '', body = '' } = (text.length > MAX_PYTHON ? null : PYTHON.exec(text))?.groups ?? {};
  if (name === '' || tools.meaningOf(name) === undefined || body.replaceAll(KEYWORD, '').trim() !== '')
    return undefined;
  const values = [...body.matchAll(KEYWORD)].map(([, key, value = '']) => [key, literal(value)]);
  return [{ name, arguments: JSON.stringify(Object.fromEntries(values)) }];
}

function literal(value: string): unknown {
  if (value === 'None') return null;
  if (!value.startsWith("'")) return jsonIn(/^(?:True|False)$/.test(value) ? value.toLowerCase() : value) ?? value;
  const text = value.slice(1, -1).replaceAll("\\'", "'");
  return jsonIn(`"${text.replaceAll('"', '\\"')}"`) ?? text;
}

/** Reads the calls in a value, only as deep as arguments may be, since reading and writing are recursive. */
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

/** Reads a call with a name: `{ name, arguments }` (OpenAI, Hermes, Qwen) or `{ name, parameters }` (Llama). */
function namedCall(value: Readonly<Record<string, unknown>>): Omit<ToolCall, 'id'> | undefined {
  const name = value['name'] ?? value['tool'];
  const args = value['arguments'] ?? value['parameters'];
  if (typeof name !== 'string' || (!isRecord(args) && typeof args !== 'string')) return undefined;
  return { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) };
}

/** Reads a call in the form of a step, which names its capability or its agent (Osprey, Calute). */
function stepCall(value: Readonly<Record<string, unknown>>, tools: Tools): Omit<ToolCall, 'id'> | undefined {
  const { capability, agent, task_objective: objective, description } = value;
  const is = typeof capability === 'string' ? 'capability' : 'agent';
  const name = capability ?? agent;
  if (typeof name !== 'string') return undefined;
  const args = value['arguments'] ?? value['parameters'];
  const task = value['task'] ?? objective ?? description;
  const members = { ...(typeof task === 'string' && { task }), ...(isRecord(args) && args) };
  return { name: tools.nameOf(is, name), arguments: JSON.stringify(members) };
}

function planCall(value: Readonly<Record<string, unknown>>, tools: Tools): Omit<ToolCall, 'id'> | undefined {
  const isPlan = Array.isArray(value['nodes']) || Array.isArray(value['steps']) || isRecord(value['plan']);
  return isPlan ? { name: tools.nameOf('plan'), arguments: JSON.stringify(value) } : undefined;
}
