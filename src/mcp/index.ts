/** Serves MCP hosts: operations as tools, runs as tasks, plans and results as resources. */

export { openHostSession, type McpSettings } from './host-session.ts';
export { serveMcp, mcpServer } from './serve.ts';
