/** Whom somebody works for and with: the project of a folder, and a connection to the server on which its runs are. */

export { buildOf, currentBuilds, heldBuilds, withCurrent, type HeldBuild } from './builds.ts';
export { checkNamespace, SERVER_STATUSES } from './ask-server.ts';
export { connect, runIn, sessionIn, type RunSession, type Session } from './connect.ts';
export { startOnce } from './start-once.ts';
export { DEMO_NAMES, findDemo, loadExamples } from './examples.ts';
export {
  bareProject,
  encryptionOf,
  equipped,
  folderStore,
  openProject,
  type EquippedProject,
  type Project,
  type ProjectOptions,
} from './open-project.ts';
export { openStore } from './open-store.ts';
export { type ProjectErrorCode } from './project-error.ts';
