/** The settings of a server of MCP, and its bounds. */

interface ToolSettings {
  /** The tools that change nothing. Every other one is carried out at most once, whatever it says of itself. */
  readonly read?: readonly string[] | undefined;
}

/** A server that is started as a process, and talked to over its stdin and stdout. */
export interface McpCommand extends ToolSettings {
  /** The program, without arguments. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Variables of its environment. Beside them it has `PATH`, `HOME` and the like, and none of the worker's own. */
  readonly env?: { readonly [name: string]: string } | undefined;
}

/** A server that is reached by streamable HTTP. */
export interface McpAddress extends ToolSettings {
  readonly url: string;
  readonly headers?: { readonly [name: string]: string } | undefined;
}

/** The settings of one server of MCP: how it is reached, and which of its tools only read. */
export type McpServerSettings = McpCommand | McpAddress;

/** Milliseconds in which a server must have started and listed its tools. */
export const START_MS = 30_000;
/** Milliseconds of one call; its attempt ends at 5 min. */
export const CALL_MS = 290_000;
/** Bytes of one message of a server. */
export const MOST_MESSAGE = 8 * 2 ** 20;
/** Messages of a server in a second. */
export const MOST_PER_SECOND = 1000;
/** Starts of a server, or connections to one, within a minute. */
export const MOST_STARTS = 5;
export const STARTS_MS = 60_000;
/** Tools of a server, and pages on which it lists them. */
export const MOST_TOOLS = 500;
export const MOST_PAGES = 50;
