export { askRuns, type UnreachableRun } from './ask-runs.ts';
export { askedRun, findRuns, listFailed, listRunning, ofQueue, type FoundRun, openWord } from './find-runs.ts';
export { buildName, failingTask, pollersOf, silenceOf, type Poller, currentBuilds, idleDeployment } from './pollers.ts';
