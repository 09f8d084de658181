/** Whom somebody works for and with: the project of a folder, and a connection to the server on which its runs are. */

export { checkNamespace } from './ask-server.ts';
export { connect, withRun, type RunSession, type Session } from './connect.ts';
export { openDrafts, startOnce } from './open-drafts.ts';
export { DEMO_NAMES, findDemo, loadExamples } from './examples.ts';
export {
  bareProject,
  folderStoreDir,
  openProject,
  storeDirOf,
  type Project,
  type ProjectOptions,
} from './open-project.ts';
export { type ProjectErrorCode } from './project-error.ts';
