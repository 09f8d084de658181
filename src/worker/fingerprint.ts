/** What a worker can do, in the name by which the server lists it, so that workers of two projects can be told apart. */

import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { executorLabel } from '../contract/index.ts';
import type { Catalogue } from '../plan/index.ts';

/** Hexadecimal digits: enough to tell the few projects of one server apart. It protects from mistakes, not from malice. */
const DIGITS = 8;
const IDENTITY = /^(?:(\d+)@(.+)|.*) planwright\/([0-9a-f]{8})$/su;

/** What a worker's identity says. `pid` and `host` are absent where its name is not the default one. */
export interface WorkerIdentity {
  readonly fingerprint: string;
  readonly pid?: number;
  readonly host?: string;
}

/**
 * Eight hexadecimal digits over the name, version and effect of everything that tasks can name, whatever its order.
 * @example fingerprintOf(createRegistry([search])); // '3f9a0c51'
 */
export function fingerprintOf(catalogue: Catalogue): string {
  const { capabilities, agents } = catalogue;
  const executors = [
    ...capabilities.map((name) => catalogue.executor('capability', name)),
    ...agents.map((name) => catalogue.executor('agent', name)),
  ];
  const labels = executors.filter((executor) => executor !== undefined).map(executorLabel);
  // JSON, since a name may hold whatever would stand between two labels.
  const text = JSON.stringify(labels.toSorted());
  return createHash('sha256').update(text).digest('hex').slice(0, DIGITS);
}

/**
 * What the server calls a worker: `NAME planwright/FINGERPRINT`. Default name: process id and host, as the SDK's.
 * @example workerIdentity(registry); // '4711@host planwright/3f9a0c51'
 */
export function workerIdentity(catalogue: Catalogue, workerName = `${process.pid}@${hostname()}`): string {
  return `${workerName} planwright/${fingerprintOf(catalogue)}`;
}

/**
 * What the server's name for a poller says of it; undefined where it says no fingerprint.
 * @example readWorkerIdentity('4711@host planwright/3f9a0c51'); // { fingerprint: '3f9a0c51', pid: 4711, host: 'host' }
 */
export function readWorkerIdentity(identity: string): WorkerIdentity | undefined {
  const [, pid, host, fingerprint] = IDENTITY.exec(identity) ?? [];
  if (fingerprint === undefined) return undefined;
  return { fingerprint, ...(pid !== undefined && host !== undefined && { pid: Number(pid), host }) };
}
