/** The door of `builtin`: the capabilities that come with the product, and the registry in which they stand beside a project's own. */

export { calculate } from './calculate/index.ts';
export { checkQuestion, type CheckedQuestion, type QuestionProblem } from './check-question.ts';
export { draftCapabilities, type DraftCapabilityOptions } from './draft-capabilities.ts';
export { fetchPage, type FetchPageOptions } from './fetch-page/index.ts';
export { fileCapabilities, type FilesOptions } from './files/index.ts';
export { lookAtPlan } from './look-at-plan.ts';
export {
  openMcpTools,
  type McpAddress,
  type McpCommand,
  type McpOptions,
  type McpServerSettings,
  type McpTools,
} from './mcp/index.ts';
export { reflect } from './reflect.ts';
export { createRegistry, type CapabilityRegistry, type RegistryOptions } from './registry.ts';
