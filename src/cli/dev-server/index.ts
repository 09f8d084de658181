/** Finds a Temporal server, or starts a dev server and tunes it for plans. */

export { connectOrStart } from './connect-or-start.ts';
export { cacheFolder, DevServerError, type DevServer, type DevServerOptions } from './dev-server.ts';
export { DYNAMIC_CONFIG } from './start-server.ts';
