export { isLoopback, startCodecServer } from './codec-server.ts';
export type { DoctorCheck } from './build-check.ts';
export { examine } from './doctor.ts';
export { openLog } from './log.ts';
export { SERVER_PORT, startServer, untilStopped } from './server.ts';
export { startWorker, printReady, type ReadyWorker } from './worker.ts';
