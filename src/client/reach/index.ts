export { askRuns, type UnreachableRun } from './ask-runs.ts';
export { askedRun, findRuns, listFailed, listRunning, ofQueue, type FoundRun } from './find-runs.ts';
export { buildName, failingTask, pollersOf, silenceOf, type Poller } from './pollers.ts';
export { currentBuilds, idleDeployment, noCurrentBuild } from './deployments.ts';
export { openWord } from './open-word.ts';
