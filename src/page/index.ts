/** The page: plans, runs and results in a browser. */

export { servePage } from './serve.ts';
