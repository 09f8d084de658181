import { parentPort } from 'node:worker_threads';
import { evaluate } from './evaluate.js';

parentPort?.on('message', (calculation) => parentPort?.postMessage(evaluate(calculation)));
parentPort?.postMessage('ready');
