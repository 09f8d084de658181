/** The tools of all servers of MCP that a project names, as its capabilities. */

import type { Capability } from '../../index.ts';
import { createSecret } from '../../../models/index.ts';
import { cutCharacters, messageOf, quote } from '../../../plan/text/index.ts';
import { connectMcp, type McpConnection } from './connection.ts';
import type { McpServerSettings } from './settings.ts';
import { readTool } from './tool-capability.ts';

/** The tools of servers of MCP, listed once; their servers live until `close`. */
export interface McpTools {
  /** In the order of the servers, `mcp.SERVER.TOOL` each. */
  readonly capabilities: readonly Capability[];
  /** Tools that no plan can use, with the reason. */
  readonly withheld: readonly { readonly name: string; readonly why: string }[];
  /** Ends the servers that were started, and the connections to the others. */
  close(): Promise<void>;
}

/** The options of `openMcpTools`: the folder of commands, and the texts that no message may show. */
export interface McpOptions {
  /** Where commands are started. Default: the folder of this process. */
  readonly folder?: string;
  /** Values of `env` and `headers` that are taken out of whatever a server says. */
  readonly secrets?: readonly string[];
  /** Milliseconds in which a server must have started and listed its tools. Default 30,000. */
  readonly startMs?: number;
  /** Milliseconds in which a call is answered. Default 290,000: an attempt has 5 minutes. */
  readonly callMs?: number;
}

/**
 * Starts the servers, or connects to them, side by side, and lists their tools.
 * @throws Error that names the server which does not answer within 30 s, or lacks a tool that its `read` names
 * @example
 * const { capabilities, close } = await openMcpTools({ files: { command: 'mcp-files', args: ['data'], read: ['read_file'] } });
 * const registry = createRegistry([search, ...capabilities]);
 */
export async function openMcpTools(
  servers: { readonly [name: string]: McpServerSettings },
  { folder, secrets = [], ...bounds }: McpOptions = {},
): Promise<McpTools> {
  const secret = createSecret(...secrets);
  const hide = (text: string) => secret.hideExactIn(text);
  const open = Object.entries(servers).map(([name, settings]) => {
    return { name, settings, connection: connectMcp(`MCP server ${name}`, settings, folder, bounds) };
  });
  const close = async () => void (await Promise.all(open.map(({ connection }) => connection.close())));
  try {
    const found = await Promise.all(open.map((one) => toolsOf(one, hide)));
    return {
      capabilities: found.flatMap(({ capabilities }) => capabilities),
      withheld: found.flatMap(({ withheld }) => withheld),
      close,
    };
  } catch (error) {
    await close();
    throw Object.assign(new Error(hide(messageOf(error))), { cause: error });
  }
}

/** Tools that a message names. */
const MOST_NAMED = 50;

interface OpenServer {
  readonly name: string;
  readonly settings: McpServerSettings;
  readonly connection: McpConnection;
}

async function toolsOf({ name, settings, connection }: OpenServer, hide: (text: string) => string) {
  const { read = [] } = settings;
  const tools = await connection.known();
  const missing = read.filter((one) => !tools.some((tool) => tool.name === one));
  if (missing.length > 0) {
    const has = tools.slice(0, MOST_NAMED).map((tool) => quote(tool.name));
    throw new Error(
      `mcp.${name}.read names ${missing.map(quote).join(', ')}; MCP server ${name} has ${has.join(', ') || 'no tools'}`,
    );
  }
  const capabilities = new Map<string, Capability>();
  const withheld: { name: string; why: string }[] = [];
  for (const tool of tools) {
    const said = readTool(name, tool, read.includes(tool.name), connection, hide);
    const full = `mcp.${name}.${cutCharacters(tool.name, 80)}`;
    if (!said.ok) withheld.push({ name: full, why: hide(said.why) });
    else if (capabilities.has(full)) withheld.push({ name: full, why: `the server lists ${quote(tool.name)} twice` });
    else capabilities.set(full, said.capability);
  }
  return { capabilities: [...capabilities.values()], withheld };
}
