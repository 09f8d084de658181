/** The stage of every story: a server, workers that can be killed, a ledger, and the lines to tell it in. */

export type { Backstage, Output, Screen } from './backstage.ts';
export type { Demo, DemoConfigOptions, ModelServer, Scene, StoryEnd, TellOptions } from './demo.ts';
export { firstLines, resultOf, sayEnd, textOf, verdictLines } from './ending.ts';
export { readLedger, type LedgerEntry } from './ledger.ts';
export { stateLine, type NodeState } from './plan-view.ts';
export { askApproval, endRun, propose, showPlan, type Proposed } from './propose.ts';
export { linkOf, shortPath, type Stage } from './stage.ts';
export { StoryError } from './story-error.ts';
export { reachRun, temporalCli } from './try-next.ts';
export type { DemoWorker } from './worker.ts';
