/** The settings and limits of an MCP server. */

interface ToolSettings {
  /** The tools that change nothing. Every other tool runs at most once, whatever it says. */
  readonly read?: readonly string[] | undefined;
}

/** A server that is started as a process and reached by its stdin and stdout. */
export interface McpCommand extends ToolSettings {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Environment variables. Beside them it has `PATH`, `HOME` and the like, and none of the worker's own. */
  readonly env?: { readonly [name: string]: string } | undefined;
}

/** A server that is reached by streamable HTTP. */
export interface McpAddress extends ToolSettings {
  readonly url: string;
  readonly headers?: { readonly [name: string]: string } | undefined;
}

/** The settings of one MCP server: how to reach it, and which of its tools only read. */
export type McpServerSettings = McpCommand | McpAddress;

/**
 * Milliseconds for starting a server and listing its tools.
 * @bound the start of a server of MCP, with the list of its tools
 * @beyond an error that names it
 */
export const START_MS = 30_000;
/**
 * Milliseconds of one call; its attempt ends at 5 min.
 * @bound a call of a tool of a server of MCP
 * @beyond given up; an effect is uncertain
 */
export const CALL_MS = 290_000;
/**
 * @bound {bytes} a message of a server of MCP
 * @beyond its connection is closed; as a call that was given up
 */
export const MAX_TOOL_MESSAGE = 8 * 2 ** 20;
export const MAX_MESSAGES_PER_SECOND = 1000;
/** Starts or connections per minute. */
export const MAX_SERVER_STARTS = 5;
export const STARTS_MS = 60_000;
/**
 * Tools of a server, and pages of its list.
 * @bound tools of a server of MCP
 * @beyond left out, with a note
 */
export const MAX_SERVER_TOOLS = 500;
export const MAX_TOOL_PAGES = 50;
/** Consecutive pages without a new tool: the list would not end. */
export const MAX_REPEATED_PAGES = 3;
