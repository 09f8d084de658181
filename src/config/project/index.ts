export { buildOf, pinnedBuilds, withCurrent, type PinnedBuild } from './builds.ts';
export {
  checkNamespace,
  SERVER_STATUSES,
  connect,
  firstExecution,
  openProjectStore,
  connectRun,
  sessionIn,
  startOnce,
  withConnection,
  type RunSession,
  type Session,
} from './connect.ts';
export {
  DEMO_NAMES,
  findDemo,
  loadExamples,
  bareProject,
  encryptionOf,
  equipped,
  folderStore,
  openProject,
  type EquippedProject,
  type Project,
  type ProjectErrorCode,
  type ProjectOptions,
} from './open-project.ts';
