/** Finds a Temporal server, or starts a dev server and tunes it for plans. */

export { cacheFolder } from './cache-folder.ts';
export { connectOrStart } from './connect-or-start.ts';
export { DEV_SERVER_ERROR_CODES, DevServerError, type DevServerErrorCode } from './dev-server-error.ts';
export type { DevServer, DevServerOptions } from './dev-server.ts';
export { DYNAMIC_CONFIG } from './dynamic-config.ts';
export { runPageOf, webUiOf } from './web-ui.ts';
