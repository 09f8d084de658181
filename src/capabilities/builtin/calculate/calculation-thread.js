/** A thread that makes one calculation and ends. It says first that it is ready, so that its loading is no part of the time. */

import { parentPort, workerData } from 'node:worker_threads';
import { evaluate } from './evaluate.js';

parentPort?.postMessage('ready');
parentPort?.postMessage(evaluate(workerData));
