/** Whether a request can be sent at all: seen before anything is paid for. */

import { isWellFormed, describeValue, quote } from '../plan/text/index.ts';
import { ModelError } from './model-error.ts';
import { MAX_CALLS } from './pieces.ts';
import { readShape } from './shape.ts';
import type { ModelMessage, ModelRequest } from './model-client.ts';

const NAME = /^[\w-]{1,64}$/;
const ROLES = Object.keys({ system: true, user: true, assistant: true, tool: true } satisfies Record<
  ModelMessage['role'],
  true
>);
const MAX_TEMPERATURE = 2;
const CHOICES: readonly string[] = ['auto', 'required'] satisfies ModelRequest['toolChoice'][];
/** Servers have words of their own for it. */
export const EFFORT = /^[a-z]{1,20}$/;

/** @throws ModelError `bad-request` that names the first member that does not fit. */
export function checkRequest(request: ModelRequest): void {
  const problem = problemOf(request);
  if (problem !== undefined) throw new ModelError('bad-request', `The request cannot be sent: ${problem}.`);
}

function problemOf(request: ModelRequest): string | undefined {
  const { messages, format, tools = [], maxTokens, temperature, toolChoice, reasoningEffort } = request;
  if (messages.length === 0) return 'messages is empty; expected at least one';
  for (const [index, message] of messages.entries()) {
    const problem = messageProblem(message);
    if (problem !== undefined) return `messages[${index}]${problem}`;
  }
  for (const [index, { name }] of tools.entries()) {
    if (!NAME.test(name)) return `tools[${index}].name is ${describeValue(name)}; ${EXPECTED_NAME}`;
    if (tools.findIndex((tool) => tool.name === name) < index) return `two tools have the name ${quote(name)}`;
  }
  if (maxTokens !== undefined && !(Number.isSafeInteger(maxTokens) && maxTokens > 0)) {
    return `maxTokens is ${describeValue(maxTokens)}; expected a whole number from 1`;
  }
  if (temperature !== undefined && !(temperature >= 0 && temperature <= MAX_TEMPERATURE)) {
    return `temperature is ${describeValue(temperature)}; expected a number from 0 to ${MAX_TEMPERATURE}`;
  }
  if (toolChoice !== undefined && !CHOICES.includes(toolChoice)) {
    return `toolChoice is ${describeValue(toolChoice)}; expected ${CHOICES.join(' or ')}`;
  }
  if (toolChoice === 'required' && tools.length === 0) return 'toolChoice is required, and there are no tools';
  if (reasoningEffort !== undefined && !EFFORT.test(reasoningEffort)) {
    return `reasoningEffort is ${describeValue(reasoningEffort)}; expected a word such as low, medium or high`;
  }
  if (format === undefined) return undefined;
  if (!NAME.test(format.name)) return `format.name is ${describeValue(format.name)}; ${EXPECTED_NAME}`;
  const shape = readShape(format.schema);
  return shape.ok ? undefined : `format.schema cannot be read (${shape.reason})`;
}

const EXPECTED_NAME = 'expected letters, digits, "_" and "-", at most 64';

function messageProblem({
  role,
  content,
  toolCalls = [],
  toolCallId,
  reasoning = [],
}: ModelMessage): string | undefined {
  if (!ROLES.includes(role)) return `.role is ${describeValue(role)}; expected ${ROLES.join(', ')}`;
  if (typeof content !== 'string') return `.content is ${describeValue(content)}; expected a text`;
  // Half of a surrogate pair becomes something else on its way, differently with each server.
  if (!isWellFormed(content)) return '.content has half of a surrogate pair; take it out';
  if (toolCalls.length > 0 && role !== 'assistant') return '.toolCalls stands where only an assistant has them';
  if (reasoning.length > 0 && role !== 'assistant') return '.reasoning stands where only an assistant has it';
  if (reasoning.length > MAX_CALLS) return `.reasoning has ${reasoning.length} items; expected at most ${MAX_CALLS}`;
  if (role === 'tool' && !toolCallId) return '.toolCallId is missing; a tool says which call it answers';
  return undefined;
}
