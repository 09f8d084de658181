export { createWorker, PAYLOAD_CONVERTER, type WorkerOptions } from './create-worker.ts';
export { connectWorker, type WorkerConnection } from './connect-worker.ts';
