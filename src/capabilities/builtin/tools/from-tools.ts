/** Makes capabilities of tools of the AI SDK, OpenAI Agents and Mastra. Structural types make packages unnecessary. */

import { inspect } from 'node:util';
import { CapabilityError, defineCapability, NotApplied, type TaskContext, type WorkCapability } from '../../index.ts';
import type { Effect, JsonValue } from '../../../plan/index.ts';
import { cutCharacters, listNames, messageOf, oneLine, quote } from '../../../plan/text/index.ts';
import { describe, isRecord } from '../../../protocol/index.ts';
import { argumentProblems, readToolInput, type ToolInput } from './read-input.ts';
import { toolDigest, toolMembers } from './tool-schema.ts';

type AnyFunction = (...args: never[]) => unknown;
type Arguments = Record<string, JsonValue>;

/** A tool of another library: `tool()` of the AI SDK or OpenAI Agents, `createTool()` of Mastra, or similar. */
export interface ForeignTool {
  /** The name, if the tools are a list. In an object of tools, the key is the name. */
  readonly name?: string | undefined;
  readonly id?: string | undefined;
  readonly description?: unknown;
  /** The arguments' schema: zod, JSON Schema, or `jsonSchema()` of the AI SDK. OpenAI Agents says `parameters`. */
  readonly inputSchema?: unknown;
  readonly parameters?: unknown;
  /** Runs the tool. It returns the result, or an async iterable whose last value is the result. */
  readonly execute?: AnyFunction | undefined;
  /** Runs a tool of OpenAI Agents, which has no `execute`. */
  readonly invoke?: AnyFunction | undefined;
  readonly needsApproval?: unknown;
  readonly requireApproval?: unknown;
}

/** The options of `fromTools`: the version and the effects of the tools. */
export interface FromToolsOptions {
  /** The version of the tools, such as their package's. A hash of each tool's description and schema is added. */
  readonly version: string;
  /**
   * The effect of each tool on the outside world, by the name of the tool. `'*'` stands for all others, and is never
   * `'read'`.
   */
  readonly effects: { readonly [tool: string]: Effect } & { readonly '*'?: Exclude<Effect, 'read'> };
  /** Whether strangers may have written what the tools return. Default true. */
  readonly untrusted?: boolean;
}

const EFFECTS: readonly unknown[] = ['read', 'idempotent', 'at-most-once'] satisfies Effect[];
const VERSION = /^[\w.+-]{1,64}$/;
const SOURCE = 'a library of tools';
const MAX_NAMED = 50;
const MAX_REASON = 300;
const MASTRA = Symbol.for('mastra.core.tool.Tool');

/**
 * Turns tools of the AI SDK, OpenAI Agents or Mastra into capabilities with the same names. Each needs an effect. A tool
 * that asks for approval in its own library is `at-most-once`. It gets the idempotency key as the id of its call.
 * @throws TypeError that names every tool which cannot be used, with the reason
 * @example
 * const capabilities = fromTools(shopTools, { version: '2.1.0', effects: { search: 'read', '*': 'at-most-once' } });
 */
export function fromTools(
  tools: { readonly [name: string]: ForeignTool } | readonly ForeignTool[],
  { version, effects, untrusted = true }: FromToolsOptions,
): readonly WorkCapability[] {
  if (typeof version !== 'string' || !VERSION.test(version))
    throw new TypeError(
      `fromTools: version is ${describe(version)}; expected 1 to 64 letters, digits, ".", "+", "-", "_"`,
    );
  if (!isRecord(effects)) throw new TypeError(`fromTools: effects is ${describe(effects)}; expected an object`);
  const named = entriesOf(tools);
  const names = named.map(([name]) => name);
  const problems = [...effectProblems(names, effects)];
  const capabilities = named.flatMap(([name, read], at) => {
    try {
      if (names.indexOf(name) < at) throw new Error('two tools have this name; give the tools as an object, by names');
      const effect = Object.hasOwn(effects, name) ? effects[name] : effects['*'];
      return effect === undefined ? [] : [{ ...toolCapability(name, read(), version, effect), untrusted }];
    } catch (error) {
      problems.push(`${cutCharacters(name, 80)}: ${cutCharacters(oneLine(messageOf(error)), MAX_REASON)}`);
      return [];
    }
  });
  if (problems.length === 0) return capabilities;
  const more = problems.length > MAX_NAMED ? [`and ${problems.length - MAX_NAMED} more`] : [];
  throw new TypeError(`fromTools:\n  ${[...problems.slice(0, MAX_NAMED), ...more].join('\n  ')}`);
}

/** The tools by name. Each is read later, since a getter may throw. */
function entriesOf(tools: unknown): readonly (readonly [name: string, read: () => unknown])[] {
  if (Array.isArray(tools))
    return (tools as readonly ForeignTool[]).map((tool, at) => [tool?.name ?? tool?.id ?? `[${at}]`, () => tool]);
  if (isRecord(tools) && typeof tools['then'] !== 'function')
    return Object.keys(tools).map((name) => [name, () => tools[name]]);
  const next = isRecord(tools) ? 'a promise; wait for it' : describe(tools);
  throw new TypeError(`fromTools: expected tools as an object by their names, or as a list, got ${next}`);
}

function* effectProblems(names: readonly string[], effects: Readonly<Record<string, unknown>>) {
  for (const [name, effect] of Object.entries(effects)) {
    if (name === '*' && effect === 'read')
      yield "effects['*'] is 'read'; name each tool that reads, so that people are asked about a tool that is added later";
    else if (!EFFECTS.includes(effect))
      yield `effects[${quote(name)}] is ${describe(effect)}; expected 'read', 'idempotent' or 'at-most-once'`;
    else if (name !== '*' && !names.includes(name))
      yield `effects names ${quote(name)}; the tools are ${listNames(names) || 'none'}`;
  }
  const missing = names.filter((name) => !Object.hasOwn(effects, name));
  if (missing.length === 0 || Object.hasOwn(effects, '*')) return;
  const lines = missing.slice(0, MAX_NAMED).map((name) => `${JSON.stringify(name)}: 'at-most-once'`);
  const more = missing.length > lines.length ? `, and ${missing.length - lines.length} more` : '';
  yield (
    `effects lacks ${missing.length} of ${names.length} tools. Add ${lines.join(', ')}${more}; or 'idempotent' if ` +
      `a second call changes nothing more, or 'read' if it changes nothing at all; or '*': 'at-most-once' for all others`
  );
}

function toolCapability(name: string, found: unknown, version: string, written: Effect): WorkCapability {
  if (!isRecord(found)) throw new Error(`it is ${describe(found)}; expected a tool`);
  const tool: ForeignTool = found;
  const { description = '', inputSchema, parameters, execute, invoke } = tool;
  if (typeof execute !== 'function' && typeof invoke !== 'function')
    throw new Error('it has no execute, so that only its model provider can run it; give it one, or leave it out');
  if (typeof description !== 'string')
    throw new Error(`its description is ${describe(description)}; expected a text that people can approve`);
  const input = readToolInput(inputSchema ?? parameters);
  const asks = needsApproval(tool);
  const effect: Effect = asks ? 'at-most-once' : written;
  if (effect !== written)
    process.emitWarning(
      `tool ${name} needs approval in its own library, so its effect is at-most-once, not ${written}`,
    );
  const note = asks ? ' (It needs approval in its own library.)' : '';
  return defineCapability({
    name,
    version: `${version}-${toolDigest({ description, schema: input.schema })}`,
    ...toolMembers(SOURCE, `${description}${note}`, input.schema, input.problemsOf),
    output: 'value',
    effect,
    async execute(task: TaskContext<Arguments>) {
      const args = await argumentsFor(name, effect, input, task.arguments);
      const result = await lastOf(await call(name, tool, args, task), task);
      const failure = failureIn(name, tool, result);
      if (failure !== undefined) throw new Error(`tool ${name} failed: ${failure}`);
      return (result ?? null) as JsonValue;
    },
  });
}

/** Reads arguments with the library's own schema. @throws an error that says that nothing has happened yet */
async function argumentsFor(name: string, effect: Effect, { validate }: ToolInput, args: Arguments): Promise<unknown> {
  try {
    const judged = (await validate?.(args)) ?? { value: args };
    const [problem] = argumentProblems(judged);
    if (problem !== undefined) throw new Error([...problem.path, problem.message].join(': '));
    return 'value' in judged ? judged.value : args;
  } catch (error) {
    const why = `the arguments do not fit ${name}: ${messageOf(error)}`;
    throw effect === 'at-most-once' ? new NotApplied(why) : new CapabilityError('REPLANNING', why);
  }
}

/** Calls a tool as its library does. In all libraries, the idempotency key becomes the id of the call. */
async function call(
  name: string,
  tool: ForeignTool,
  value: unknown,
  { arguments: args, signal, idempotencyKey: id }: TaskContext<Arguments>,
): Promise<unknown> {
  const suspend = () => {
    throw new CapabilityError('CRITICAL', `tool ${name} waits for a person (suspend); ask by a step before it`);
  };
  const observe = { span: (_name: string, work: () => unknown) => work(), log: () => undefined };
  const options = { toolCallId: id, messages: [], abortSignal: signal, context: {}, observe, suspend };
  // Mastra and OpenAI Agents convert the arguments themselves, so they get them unconverted.
  if (typeof tool.execute === 'function')
    return tool.execute((MASTRA in tool ? args : value) as never, options as never);
  const text = JSON.stringify(args);
  const toolCall = { type: 'function_call', callId: id, name, arguments: text, status: 'in_progress' };
  return tool.invoke?.({ context: {} } as never, text as never, { signal, toolCall } as never);
}

const UNREPORTABLE = 'a value that is no JSON of at most 64 KiB';

/** The last value of a stream, whose earlier values are progress. Other results are returned unchanged. */
async function lastOf(result: unknown, { signal, heartbeat }: Pick<TaskContext<unknown>, 'signal' | 'heartbeat'>) {
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return result;
  let last: unknown;
  for await (const value of result as AsyncIterable<unknown>) {
    signal.throwIfAborted();
    last = value;
    try {
      heartbeat(value as JsonValue);
    } catch {
      heartbeat(UNREPORTABLE);
    }
  }
  return last;
}

/** Finds a failure that the library has turned into a result for its model; undefined for a real result. */
function failureIn(name: string, tool: ForeignTool, result: unknown): string | undefined {
  const { error, message, validationErrors, isError, content } = isRecord(result) ? result : {};
  const isOfMastra = error === true && validationErrors !== undefined;
  const isOfMcp = isError === true && Array.isArray(content);
  if (isOfMastra || isOfMcp) return oneLine(typeof message === 'string' ? message : JSON.stringify(content));
  if (typeof tool.execute === 'function' || typeof result !== 'string') return undefined;
  const isHidden = result.startsWith('An error occurred while running the tool. Please try again.');
  const isLate = result.startsWith(`Tool '${name}' timed out after `);
  return isHidden || isLate ? `${oneLine(result)} Its library hides the reason; write errorFunction: null` : undefined;
}

/**
 * Whether the tool may ask for approval. A function with parameters counts as yes; one without is called, since OpenAI
 * Agents makes it from a boolean.
 */
function needsApproval({ needsApproval: asks, requireApproval, ...more }: ForeignTool): boolean {
  const policies = [asks, requireApproval, (more as Readonly<Record<string, unknown>>)['needsApprovalFn']];
  return policies.some((policy) => {
    if (typeof policy !== 'function') return policy === true;
    if (policy.length > 0) return true;
    try {
      const answer: unknown = policy();
      if (answer instanceof Promise) answer.catch(() => undefined);
      // If async hooks are on, `inspect` prints symbols after a promise's value.
      return !/^(false|Promise \{\s+false\b)/.test(inspect(answer));
    } catch {
      return true;
    }
  });
}
