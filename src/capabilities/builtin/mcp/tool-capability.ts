/** A tool of a server as a capability: its version is the digest of what the server says of it. */

import { createHash } from 'node:crypto';
import type { CallToolResult, Progress } from '@modelcontextprotocol/client';
import { z } from 'zod';
import {
  CapabilityError,
  defineCapability,
  NotApplied,
  readSchema,
  type Capability,
  type ReadSchema,
} from '../../index.ts';
import { canonicalJson, type JsonValue } from '../../../plan/index.ts';
import { cutCharacters, oneLine } from '../../../plan/text/index.ts';
import { isRecord } from '../../../protocol/index.ts';
import { Unsent, type McpConnection } from './connection.ts';
import { notesOf, typeOf } from './tool-schema.ts';

const TOOL = z.looseObject({
  name: z.string(),
  description: z.string().nullish(),
  inputSchema: z.record(z.string(), z.unknown()),
  outputSchema: z.record(z.string(), z.unknown()).nullish(),
});
type Tool = z.output<typeof TOOL>;

/** The name by which a tool is listed, whatever else it is. */
export function nameOf(tool: unknown): unknown {
  return isRecord(tool) ? tool['name'] : undefined;
}

/** Hexadecimal digits, as of the version of an agent. */
const DIGITS = 12;
/**
 * @bound {characters} the description of a tool with those of its arguments
 * @beyond cut
 */
const MOST_DESCRIPTION = 1000;
/**
 * @bound {characters} a message of the progress of a tool
 * @beyond cut
 */
const MOST_MESSAGE = 200;
/** As of a capability, without a letter at its beginning, which the name of the server has. */
const NAME = /^[\w.-]{1,64}$/;

/**
 * The digest of everything that a plan and a person judge the tool by.
 * @throws TypeError of a value that JSON cannot hold, such as a text with half a surrogate pair
 */
function versionOf({ name, description, inputSchema, outputSchema }: Tool): string {
  const said = JSON.stringify({ name, description, inputSchema, outputSchema });
  const canonical = canonicalJson(JSON.parse(said) as JsonValue);
  return createHash('sha256').update(canonical).digest('hex').slice(0, DIGITS);
}

/** @throws Error that says why no plan can use the tool */
export function readTool(
  server: string,
  listed: unknown,
  isRead: boolean,
  connection: McpConnection,
  hide: (text: string) => string,
): Capability {
  const read = TOOL.safeParse(listed);
  if (!read.success) throw new Error(`its description cannot be read: ${z.prettifyError(read.error)}`);
  const { data: tool } = read;
  const { name: own, description, inputSchema } = tool;
  const outputSchema = tool.outputSchema ?? undefined;
  const name = `mcp.${server}.${own}`;
  if (!NAME.test(own) || name.length > 80) {
    throw new Error('its name is none of a capability: letters, digits, ".", "_" and "-", with its server at most 80');
  }
  const input = readSchema(inputSchema);
  if (!input.ok) throw new Error(`its input schema cannot be used: ${firstOf(input)}`);
  const output = outputSchema === undefined ? undefined : readSchema(outputSchema);
  if (output?.ok === false) throw new Error(`its output schema cannot be used: ${firstOf(output)}`);
  return defineCapability({
    name,
    version: versionOf(tool),
    description: cutCharacters(oneLine(`${description ?? ''}${notesOf(inputSchema)}`), MOST_DESCRIPTION),
    describedBy: `MCP server ${server}`,
    input: typeOf(inputSchema, input),
    output: output === undefined ? 'text' : 'value',
    effect: isRead ? 'read' : 'at-most-once',
    usesGoal: false,
    alone: true,
    async versionNow(signal) {
      const tools = await (isRead ? connection.known(signal) : connection.list(signal)).catch(unsent);
      const now = TOOL.safeParse(tools.find((one) => nameOf(one) === own));
      return now.success ? versionOf(now.data) : 'none';
    },
    async execute({ arguments: args, signal, heartbeat }) {
      const onProgress = ({ progress, total, message }: Progress) => {
        const said = message === undefined ? {} : { message: cutCharacters(oneLine(message), MOST_MESSAGE) };
        heartbeat({ progress, ...(total !== undefined && { total }), ...said });
      };
      const given = hidden(await connection.call(own, args, { signal, onProgress }).catch(unsent));
      checkError(given, name);
      return output === undefined ? textOf(given.content) : valueOf(given, name, output);
    },
  });

  /** A request that has not left has done nothing. */
  function unsent(error: unknown): never {
    const message = hide((error as Error).message);
    if (!(error instanceof Unsent))
      throw error instanceof Error && message === error.message ? error : new Error(message);
    throw isRead ? new CapabilityError('RETRIABLE', message) : new NotApplied(message);
  }

  function hidden<Given>(given: Given): Given {
    const json = JSON.stringify(given);
    const told = hide(json);
    return told === json || !isRecord(given) ? given : (JSON.parse(told) as Given);
  }
}

function firstOf({ problems: [first] }: Extract<ReadSchema, { ok: false }>): string {
  return first === undefined
    ? 'nothing is said of it'
    : `${first.path.map((part) => `${part}: `).join('')}${first.message}`;
}

const MOST_SAID = 1000;

/** @throws CapabilityError REPLANNING with what the tool says, where it says that it failed */
export function checkError({ isError, content }: CallToolResult, name: string): void {
  if (isError !== true) return;
  const said = cutCharacters(oneLine(textOf(content)), MOST_SAID);
  throw new CapabilityError('REPLANNING', `${name} says that it failed: ${said === '' ? 'nothing more' : said}`);
}

/**
 * The structure that the tool has announced.
 * @throws CapabilityError CRITICAL where it is not there, or does not fit its schema
 */
function valueOf(
  { structuredContent }: CallToolResult,
  name: string,
  { problemsOf }: Extract<ReadSchema, { ok: true }>,
): JsonValue {
  if (structuredContent === undefined) {
    throw new CapabilityError('CRITICAL', `${name} has announced a structured result and gave none`);
  }
  const [problem] = problemsOf(structuredContent);
  if (problem === undefined) return structuredContent as JsonValue;
  const place = ['result', ...problem.path].join('.');
  throw new CapabilityError(
    'CRITICAL',
    `${name} gave a result that does not fit its schema: ${place}: ${problem.message}`,
  );
}

/** Its texts one below the other; a content of another kind is named, with its size. */
function textOf(content: CallToolResult['content']): string {
  return content
    .map((one) => {
      switch (one.type) {
        case 'text':
          return one.text;
        case 'resource_link':
          return one.uri;
        case 'resource':
          return 'text' in one.resource ? one.resource.text : left(one.resource.mimeType, one.resource.blob);
        case 'image':
        case 'audio':
          return left(one.mimeType, one.data);
        default:
          return `[${(one as { readonly type: string }).type}, left out]`;
      }
    })
    .join('\n');
}

function left(type: string | undefined, base64: string): string {
  return `[${type ?? 'bytes'}, ${Math.floor((base64.length * 3) / 4)} bytes, left out]`;
}
