/** Workers and servers in this process. Loaded by the commands that need them. */

export { isLoopback, startCodecServer } from './codec-server.ts';
export type { Check } from './build-check.ts';
export { examine } from './doctor.ts';
export { openLog } from './log.ts';
export { DEFAULT_PORT, startServer, untilStopped } from './server.ts';
export { startWorker, tellReady, type ReadyWorker } from './worker.ts';
