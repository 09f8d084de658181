import type { VerifySettings } from './verify-tool.ts';

interface ToolSettings {
  /** The tools that change nothing. Every other tool runs at most once, whatever the server says about it. */
  readonly read?: readonly string[] | undefined;
  /**
   * For each tool with an effect, by name: how to find out whether the effect happened, if an attempt does not say so.
   */
  readonly verify?: { readonly [tool: string]: VerifySettings } | undefined;
  /** Whether strangers may have written what its tools return. Default true. */
  readonly untrusted?: boolean | undefined;
}

/** An MCP server that is started as a process and used through its stdin and stdout. */
export interface McpCommand extends ToolSettings {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Environment variables. The process gets only these, `PATH`, `HOME` and the like, none of the worker's own. */
  readonly env?: { readonly [name: string]: string } | undefined;
}

/** An MCP server that is used through streamable HTTP. */
export interface McpAddress extends ToolSettings {
  readonly url: string;
  readonly headers?: { readonly [name: string]: string } | undefined;
}

/** The settings of one MCP server: how to reach it, and which of its tools only read. */
export type McpServerSettings = McpCommand | McpAddress;

/**
 * Maximum time in ms to start a server and list its tools.
 * @bound the start of a server of MCP, with the list of its tools @beyond an error that names it
 */
export const START_MS = 30_000;
/**
 * Maximum time of one call in ms. It is less than the 5 minutes of an attempt.
 * @bound a call of a tool of a server of MCP @beyond given up; an effect is uncertain
 */
export const CALL_MS = 290_000;
/** Maximum bytes of one message of an MCP server. */
export const MAX_TOOL_MESSAGE = 8 * 2 ** 20;
export const MAX_MESSAGES_PER_SECOND = 1000;
export const MAX_SERVER_STARTS = 5;
export const STARTS_MS = 60_000;
/**
 * Maximum number of tools that are taken from one server.
 * @bound tools of a server of MCP @beyond left out, with a note
 */
export const MAX_SERVER_TOOLS = 500;
export const MAX_TOOL_PAGES = 50;
/** Maximum number of consecutive pages without a new tool. After them, the list counts as endless. */
export const MAX_REPEATED_PAGES = 3;
