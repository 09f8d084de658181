/** Where the nodes of a plan are, and which is next. Knows nothing of people, approval or time. */

export { blockerOf, reset, skip } from './by-hand.ts';
export {
  cancelPending,
  fail,
  failForNow,
  inputRefs,
  isFinished,
  noCounts,
  openProgress,
  putBack,
  releaseHeld,
  reopenProgress,
  setStatus,
  startNext,
  succeed,
  waitForPerson,
  type Progress,
} from './progress.ts';
