/** Tools of servers of MCP as capabilities. */

export { openMcpTools, type McpOptions, type McpTools } from './open-tools.ts';
export type { McpAddress, McpCommand, McpServerSettings } from './settings.ts';
