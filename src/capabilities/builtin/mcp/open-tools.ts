import {
  type Capability,
  CapabilityError,
  defineCapability,
  NotApplied,
  type TaskContext,
  type WorkCapability,
} from '../../index.ts';
import { createSecret } from '../../../models/index.ts';
import { cutCharacters, messageOf, oneLine, quote } from '../../../plan/text/index.ts';
import { connectMcp, type McpConnection } from './connection.ts';
import type { McpServerSettings } from './settings.ts';
import { toolNameOf, readToolSchema, toolDigest, toolMembers } from '../tools/tool-schema.ts';
import { verifyOf, verifyByTool, type VerifySettings } from './verify-tool.ts';
import type { Progress } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { JsonValue } from '../../../plan/index.ts';
import { isRecord } from '../../../protocol/index.ts';
import { readToolAnswer, CallFailure, CALL_OUTCOMES } from './read-answer.ts';

/** The tools of MCP servers, listed once. The servers run until `close` is called. */
export interface McpTools {
  /** The tools in the order of the servers, named `mcp.SERVER.TOOL`. */
  readonly capabilities: readonly Capability[];
  /** Tools that cannot be used and servers that cannot be reached, each with the reason. */
  readonly withheld: readonly { readonly name: string; readonly why: string }[];
  /** Sets the function that receives the tools of each server that becomes reachable later. */
  later(add: (capability: Capability) => void): void;
  /** Stops the servers that were started, and closes the connections to the others. */
  close(): Promise<void>;
}

/** The options of `openMcpTools`: the folder of commands, the secrets, and time limits. */
export interface McpOptions {
  /** The folder in which commands start. Default: the working directory. */
  readonly folder?: string;
  /** Values of `env` and `headers` that are removed from all texts of a server. */
  readonly secrets?: readonly string[];
  /** Maximum time in milliseconds to start a server and list its tools. Default 30,000. */
  readonly startMs?: number;
  /** Maximum time of a call in milliseconds. Default 290,000, since an attempt has 5 minutes. */
  readonly callMs?: number;
}

const AGAIN_MS = 30_000;

/**
 * Starts MCP servers or connects to them, and lists their tools. A server that does not answer within 30 s gives a
 * process warning and is tried again every 30 s.
 * @throws Error that names a server which lacks a tool of its setting `read`, or whose `verify` is wrong
 * @example
 * const { capabilities, later, close } = await openMcpTools({ files: { command: 'mcp-files', args: ['data'], read: ['read_file'] } });
 * const registry = createRegistry([search, ...capabilities], { later });
 */
export async function openMcpTools(
  servers: { readonly [name: string]: McpServerSettings },
  { folder, secrets = [], ...bounds }: McpOptions = {},
): Promise<McpTools> {
  const secret = createSecret(...secrets);
  const hide = (text: string) => secret.hideExactIn(text);
  const open = Object.entries(servers).map(([name, settings]): OpenServer => {
    return { name, settings, connection: connectMcp(`MCP server ${name}`, settings, folder, bounds) };
  });
  const capabilities: Capability[] = [];
  const withheld: { name: string; why: string }[] = [];
  const listeners: ((capability: Capability) => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  const take = async (one: OpenServer): Promise<boolean> => {
    const listed = await one.connection.known().catch((error: unknown) => new Error(hide(messageOf(error))));
    const away = withheld.findIndex(({ name }) => name === `mcp.${one.name}`);
    if (listed instanceof Error) {
      if (away < 0) process.emitWarning(`${listed.message}; its tools are not offered until it does`);
      if (away < 0) withheld.push({ name: `mcp.${one.name}`, why: listed.message });
      return false;
    }
    const found = toolsOf(one, listed.tools, hide);
    if (away >= 0) withheld.splice(away, 1);
    const { oddity } = listed;
    if (oddity !== undefined) withheld.push({ name: `mcp.${one.name}`, why: `${oddity}; others are not known` });
    capabilities.push(...found.capabilities);
    withheld.push(...found.withheld);
    for (const capability of found.capabilities) for (const add of listeners) add(capability);
    return true;
  };
  const takeAll = async (some: readonly OpenServer[]): Promise<void> => {
    const toolCapabilities = await Promise.all(some.map(take));
    const away = some.filter((_, at) => toolCapabilities[at] !== true);
    const again = () => void takeAll(away).catch((error: unknown) => process.emitWarning(hide(messageOf(error))));
    if (away.length > 0) timer = setTimeout(again, AGAIN_MS).unref();
  };
  const close = async () => {
    clearTimeout(timer);
    await Promise.all(open.map(({ connection }) => connection.close()));
  };
  try {
    await takeAll(open);
    return { capabilities, withheld, later: (add) => void listeners.push(add), close };
  } catch (error) {
    await close();
    throw Object.assign(new Error(hide(messageOf(error))), { cause: error });
  }
}

const MAX_NAMED = 50;
const MAX_REASON = 300;

interface OpenServer {
  readonly name: string;
  readonly settings: McpServerSettings;
  readonly connection: McpConnection;
}

function toolsOf(
  { name, settings, connection }: OpenServer,
  tools: readonly unknown[],
  hide: (text: string) => string,
) {
  const { read: reads = [] } = settings;
  const missing = reads.filter((one) => !tools.some((tool) => toolNameOf(tool) === one));
  if (missing.length > 0) {
    const has = tools.slice(0, MAX_NAMED).map((tool) => quote(String(toolNameOf(tool))));
    throw new Error(
      `mcp.${name}.read names ${missing.map(quote).join(', ')}; MCP server ${name} has ${has.join(', ') || 'no tools'}`,
    );
  }
  const verify = verifyOf(name, settings.verify ?? {}, reads, tools);
  const capabilities: Capability[] = [];
  const withheld: { name: string; why: string }[] = [];
  const read = (own: string, verifier?: ToolVerifier) => {
    const [tool, ...others] = tools.filter((one) => String(toolNameOf(one)) === own);
    // Rejects a name that the server gives to different tools, since a call could reach any of them.
    if (others.length > 0)
      throw new Error(`the server lists ${quote(own)} ${others.length + 1} times, and not the same`);
    return readTool(name, tool, reads.includes(own), connection, hide, verifier);
  };
  for (const own of new Set(tools.map((tool) => String(toolNameOf(tool))))) {
    try {
      const found = verify.get(own);
      const tool = read(own, found && { settings: found, reader: read(found.tool) });
      capabilities.push({ ...tool, untrusted: settings.untrusted ?? true });
    } catch (error) {
      withheld.push({
        name: `mcp.${name}.${cutCharacters(own, 80)}`,
        why: cutCharacters(oneLine(hide(messageOf(error))), MAX_REASON),
      });
    }
  }
  return { capabilities, withheld };
}

const TOOL = z.looseObject({
  name: z.string(),
  description: z.string().nullish(),
  inputSchema: z.record(z.string(), z.unknown()),
  outputSchema: z.record(z.string(), z.unknown()).nullish(),
});
type Tool = z.output<typeof TOOL>;

const MAX_MESSAGE = 200;
/** The names that a tool may have. Any first character is allowed, since the server's name comes before it. */
const NAME = /^[\w.-]{1,64}$/;

/** How to find out whether an effect of a tool happened: the settings, and the tool to ask. */
interface ToolVerifier {
  readonly settings: VerifySettings;
  readonly reader: WorkCapability;
}

function toolVersion({ name, description, inputSchema, outputSchema }: Tool, verify?: object): string {
  return toolDigest({ name, description, inputSchema, outputSchema, verify });
}

function readTool(
  server: string,
  listed: unknown,
  isRead: boolean,
  connection: McpConnection,
  hide: (text: string) => string,
  verifier?: ToolVerifier,
): WorkCapability {
  const read = TOOL.safeParse(listed);
  if (!read.success) throw new Error(`its description cannot be read: ${z.prettifyError(read.error)}`);
  const { data: tool } = read;
  const { name: own, description, inputSchema } = tool;
  const outputSchema = tool.outputSchema ?? undefined;
  const name = `mcp.${server}.${own}`;
  if (!NAME.test(own) || name.length > 80) {
    throw new Error('its name is none of a capability: letters, digits, ".", "_" and "-", with its server at most 80');
  }
  const inputProblems = readToolSchema(inputSchema, 'input');
  const outputProblems = outputSchema && readToolSchema(outputSchema, 'output');
  return defineCapability({
    name,
    version: toolVersion(tool, verifier && { ...verifier.settings, version: verifier.reader.version }),
    ...toolMembers(`MCP server ${server}`, description ?? '', inputSchema, inputProblems),
    output: outputSchema === undefined ? 'text' : 'value',
    effect: isRead ? 'read' : 'at-most-once',
    async versionNow(signal) {
      const { tools } = await (isRead ? connection.known(signal) : connection.list(signal)).catch(failed);
      const same = tools.flatMap((one) => (toolNameOf(one) === own ? [TOOL.safeParse(one)] : []));
      const verify = verifier && { ...verifier.settings, version: await verifier.reader.versionNow?.(signal) };
      const versions = new Set(same.map(({ data }) => (data === undefined ? 'none' : toolVersion(data, verify))));
      return versions.size === 1 ? [...versions][0]! : 'none';
    },
    ...(verifier !== undefined && {
      async verify(task: TaskContext<Record<string, JsonValue>>) {
        const { settings, reader } = verifier;
        const found = await verifyByTool(settings, reader, task);
        if (found?.happened !== true) return found;
        const { result } = found;
        const [problem] = (result !== undefined && outputProblems?.(result)) || [];
        if (problem !== undefined) throw new Error(`its result does not fit the schema of ${own}: ${problem.message}`);
        const isText = outputSchema === undefined && typeof result !== 'string';
        return { happened: true as const, result: (isText ? JSON.stringify(result) : result) as string };
      },
    }),
    async execute({ arguments: args, signal, heartbeat, idempotencyKey }) {
      const onProgress = ({ progress, total, message }: Progress) => {
        const details = message === undefined ? {} : { message: cutCharacters(oneLine(message), MAX_MESSAGE) };
        heartbeat({ progress, ...(total !== undefined && { total }), ...details });
      };
      try {
        const key = isRead ? undefined : idempotencyKey;
        const answer = hidden(await connection.call(own, args, { signal, onProgress, key }));
        return readToolAnswer(answer, name, outputProblems) as string;
      } catch (error) {
        const isDone = !isRead && error instanceof CallFailure && CALL_OUTCOMES[error.answer].effect === 'done';
        return isDone ? `[${hide(error.message)}]` : failed(error);
      }
    },
  });

  function failed(error: unknown): never {
    if (!(error instanceof CallFailure)) throw error;
    const message = hide(error.message);
    const { read: errorClass, effect } = CALL_OUTCOMES[error.answer];
    throw !isRead && effect === 'not-applied' ? new NotApplied(message) : new CapabilityError(errorClass, message);
  }

  function hidden<Given>(value: Given): Given {
    const json = JSON.stringify(value);
    const hiddenJson = hide(json);
    return hiddenJson === json || !isRecord(value) ? value : (JSON.parse(hiddenJson) as Given);
  }
}
