/** A host of MCP runs plans: the operations as tools, a run as a task, plans and results as resources. */

export { openRoom, type McpSettings } from './room.ts';
export { serveMcp } from './serve.ts';
export { mcpServer } from './server.ts';
