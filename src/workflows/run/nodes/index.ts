/** The state of the nodes of a plan, and which is next. Knows nothing of people, approval or time. */

export { blockerOf, reset, skip } from './by-hand.ts';
export { giveBack } from './give-back.ts';
export { openProgress, type NodeProgress } from './open-progress.ts';
export { createReadyQueue, popReady, pushReady } from './ready-queue.ts';
export {
  cancelPending,
  fail,
  failForNow,
  inputRefs,
  isFinished,
  noCounts,
  putBack,
  releaseHeld,
  reopenProgress,
  setAside,
  setStatus,
  startNext,
  succeed,
  waitForPerson,
  type Progress,
  type ProgressState,
} from './progress.ts';
