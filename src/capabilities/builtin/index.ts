/** The built-in capabilities, and the registry of all capabilities of a project. */

export { calculate } from './calculate/calculate.ts';
export { checkQuestion, type CheckedQuestion, type QuestionProblem } from './ask.ts';
export { draftCapabilities, type DraftCapabilityOptions } from './draft-capabilities.ts';
export { fetchPage, type FetchPageOptions } from './fetch-page/fetch-page.ts';
export { fileCapabilities } from './files/records.ts';
export { type FilesOptions } from './files/allowed-folders.ts';
export { lookAtPlan, reflect, takeLook, UNSEEN_STATE } from './look-at-plan.ts';
export { openMcpTools, type McpOptions, type McpTools } from './mcp/open-tools.ts';
export type { McpAddress, McpCommand, McpServerSettings } from './mcp/settings.ts';
export { createRegistry, type CapabilityRegistry, type RegistryOptions } from './registry.ts';
