export { CLIENT_ERROR_CODES, ClientError, type ClientErrorCode } from './client-error.ts';
export { connectClient, type ClientTarget, type ConnectedClient } from './connect-client.ts';
export {
  createPlanClient,
  type PlanClient,
  type PlanClientOptions,
  type Started,
  type StartOptions,
} from './plan-client.ts';
export type { RunEnd, RunHandle, Told } from './run-handle.ts';
