export { connectOrStart } from './connect-or-start.ts';
export type { DevServer, DevServerOptions } from './connect-or-start.ts';
export { DEV_SERVER_ERROR_CODES, DevServerError } from './dev-server-error.ts';
export type { DevServerErrorCode } from './dev-server-error.ts';
export { cacheFolder } from './cache-folder.ts';
export { DYNAMIC_CONFIG } from './dynamic-config.ts';
