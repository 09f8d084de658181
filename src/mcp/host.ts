/** The host at the other end: its name, and how it can ask its person. */

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
  /** It takes a handle in place of a result, and polls it. */
  readonly tasks: boolean;
  /** It can put a form before its person. */
  readonly elicits: boolean;
  /** Its protocol is one of 2025: it is asked by a request of its own, in the midst of its call. */
  readonly isLegacy: boolean;
}

/** The name of a host, as runs record it. */
const MOST_NAME = 60;

/** A host of 2026 says with each request what it can; one of 2025 has said it once. */
export function hostOf({ server }: McpServer, { mcpReq: { envelope } }: ServerContext): Host {
  const said: Readonly<Record<string, unknown>> = envelope ?? {};
  const isLegacy = said[CLIENT_CAPABILITIES_META_KEY] === undefined;
  const can = isLegacy ? server.getClientCapabilities() : (said[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities);
  const is = isLegacy ? server.getClientVersion() : (said[CLIENT_INFO_META_KEY] as Implementation | undefined);
  const { elicitation, extensions } = can ?? {};
  return {
    name: cutCharacters(oneLine(is?.name ?? 'unnamed'), MOST_NAME),
    tasks: !isLegacy && extensions?.[TASKS] !== undefined,
    // Elicitation without a mode is that of forms.
    elicits: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    isLegacy,
  };
}
