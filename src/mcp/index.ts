/** For hosts of MCP: operations as tools, runs as tasks, plans and results as resources. */

export { openRoom, type McpSettings } from './room.ts';
export { serveMcp } from './serve.ts';
export { mcpServer } from './server.ts';
