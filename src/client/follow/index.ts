/** Follows a run: how it stands, what it waits for and how it ends, as views that are plain facts. */

export { followRun } from './follow-run.ts';
export type { FollowOptions } from './looks.ts';
export { agentRunId } from './hear-agents.ts';
export {
  NO_VIEW,
  openChanges,
  openKey,
  type AgentView,
  type RunView,
  type ToldStep,
  type Trouble,
} from './run-view.ts';
export { passingCode, pause } from './waits.ts';
