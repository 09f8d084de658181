/** The page: plans, runs and results in a browser. */

export { DEFAULT_PORT, servePage, type Served, type ServeOptions } from './serve.ts';
