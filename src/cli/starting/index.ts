/** The beginning of a project. Loaded when one is begun. */

export { startProject } from './start-project.ts';
