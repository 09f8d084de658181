import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { cutCharacters, oneLine } from '../plan/text/index.ts';

/** The Tasks extension (MCP: io.modelcontextprotocol/tasks, of 2026-07-28). */
export const TASKS = 'io.modelcontextprotocol/tasks';

export interface Host {
  readonly name: string;
  /** Whether the host accepts a task instead of a result, and asks for its state. */
  readonly tasks: boolean;
  readonly elicits: boolean;
  /** Whether the host uses a protocol of 2025, in which a form is a request during the host's call. */
  readonly isLegacy: boolean;
}

const MAX_NAME = 60;

/** Reads a host's capabilities. Hosts of 2026 send them with each request, hosts of 2025 once. */
export function hostOf({ server }: McpServer, { mcpReq: { envelope } }: ServerContext): Host {
  const capabilities: Readonly<Record<string, unknown>> = envelope ?? {};
  const isLegacy = capabilities[CLIENT_CAPABILITIES_META_KEY] === undefined;
  const can = isLegacy
    ? server.getClientCapabilities()
    : (capabilities[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities);
  const is = isLegacy ? server.getClientVersion() : (capabilities[CLIENT_INFO_META_KEY] as Implementation | undefined);
  const { elicitation, extensions } = can ?? {};
  return {
    name: cutCharacters(oneLine(is?.name ?? 'unnamed'), MAX_NAME),
    tasks: !isLegacy && extensions?.[TASKS] !== undefined,
    // If a host supports elicitation but names no mode, it can show forms.
    elicits: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    isLegacy,
  };
}
