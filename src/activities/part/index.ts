/** Many nodes in one activity: the scheduler, the context that each attempt has, and the store that writes behind them. */

export { createPartRunner } from './run-part.ts';
