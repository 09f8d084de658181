export { CLIENT_ERROR_CODES, ClientError, type ClientErrorCode } from './client-error.ts';
export { connectClient, type ClientTarget, type ConnectedClient } from './connect-client.ts';
export type { Inbox, InboxItem, InboxOptions, UnreachableRun } from './inbox.ts';
export {
  createPlanClient,
  type PlanClient,
  type PlanClientOptions,
  type Started,
  type StartOptions,
} from './plan-client.ts';
export type { RunEnd, RunHandle } from './run-handle.ts';
export type { Signer, Told } from './say.ts';
