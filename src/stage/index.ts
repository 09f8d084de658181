/** What every story of a demo is played on: a server, workers that can be killed, a ledger, and the lines to tell it in. */

export type { Demo, Scene, StoryEnd } from './demo.ts';
export type { DemoConfigOptions, ModelServer } from './demo-project.ts';
export { ledgerWriter, readLedger, type LedgerEntry } from './ledger.ts';
export { planLines, stateLine, stateLines, type NodeState } from './plan-view.ts';
export { play } from './play.ts';
export { endRun, propose, showPlan, type Proposed } from './propose.ts';
export { linkOf, shortPath, type Stage } from './stage.ts';
export { StoryError } from './story-error.ts';
export { reachRun, temporalCli } from './try-next.ts';
export type { DemoWorker, DemoWorkerOptions } from './worker.ts';
