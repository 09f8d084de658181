/** Finds a Temporal server, or starts a dev server and tunes it for plans. */

export { connectOrStart } from './connect-or-start.ts';
export {
  cacheFolder,
  DEV_SERVER_ERROR_CODES,
  DevServerError,
  type DevServer,
  type DevServerErrorCode,
  type DevServerOptions,
} from './dev-server.ts';
export { runPageOf, webUiOf } from './server-answers.ts';
export { DYNAMIC_CONFIG } from './start-server.ts';
