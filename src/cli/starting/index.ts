/** Loaded by `planwright init`. */

export { startProject } from './start-project.ts';
