/** Adds a digest of a worker's capabilities to its identity, which distinguishes the workers of two projects. */

import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { executorLabel, type ApprovalRule } from '../protocol/index.ts';
import { openKeyring, type EncryptionKeys } from '../protocol/encryption/index.ts';
import { publicKeysOf, type IdentityConfig } from '../protocol/identity/index.ts';
import { canonicalJson, type Catalogue } from '../plan/index.ts';

/** Length of a fingerprint in hex digits. It protects from mistakes, not from attacks. */
const DIGITS = 8;
const IDENTITY = /^(?:(\d+)@(.+)|.*) planwright\/([0-9a-f]{8})$/su;

/** The facts in a worker's identity. `pid` and `host` are absent if the worker has a name of its own. */
export interface WorkerIdentity {
  readonly fingerprint: string;
  readonly pid?: number;
  readonly host?: string;
}

/** The keys and rules of a worker. A worker with different ones might execute what this worker rejects. */
export interface Trust {
  readonly identity?: IdentityConfig | undefined;
  readonly rules?: readonly ApprovalRule[] | undefined;
  readonly encryption?: EncryptionKeys | undefined;
}

/**
 * Computes eight hex digits from the name, version and effect of everything that tasks can name, and from the project's
 * public keys, approval rules and encryption keys. The order does not matter.
 * @throws IdentityError or EncryptionError if a key is invalid
 * @example fingerprintOf(createRegistry([search])); // '3f9a0c51'
 */
export function fingerprintOf(catalogue: Catalogue, { identity, rules = [], encryption }: Trust = {}): string {
  const { capabilities, agents } = catalogue;
  const executors = [
    ...capabilities.map((name) => catalogue.executor('capability', name)),
    ...agents.map((name) => catalogue.executor('agent', name)),
  ];
  const labels = executors.filter((executor) => executor !== undefined).map(executorLabel);
  const trust = [
    ...Object.entries(identity === undefined ? {} : publicKeysOf(identity)).map(([kid, key]) =>
      canonicalJson({ kid, ...key }),
    ),
    ...Object.entries(identity?.receiptKeys ?? {}).map(([keyid, { publicKey }]) => canonicalJson({ keyid, publicKey })),
    ...rules.map((rule) => canonicalJson({ ...rule })),
    // If a key changes under the same id, the result changes. Nobody can compute the key from it.
    ...(encryption === undefined ? [] : openKeyring(encryption).all).map((key) =>
      canonicalJson({ encryption: key.id, check: key.derive('planwright fingerprint').toString('hex') }),
    ),
  ];
  // Names may contain any separator, so labels are joined as JSON.
  const text = JSON.stringify([...labels.toSorted(), ...trust.toSorted()]);
  return createHash('sha256').update(text).digest('hex').slice(0, DIGITS);
}

/**
 * The identity of a worker at the server: `NAME planwright/FINGERPRINT`. Default name: process id and host, as in the
 * SDK.
 * @example workerIdentity(registry); // '4711@host planwright/3f9a0c51'
 */
export function workerIdentity(
  catalogue: Catalogue,
  workerName = `${process.pid}@${hostname()}`,
  trust: Trust = {},
): string {
  return `${workerName} planwright/${fingerprintOf(catalogue, trust)}`;
}

/**
 * Parses the identity of a worker; undefined if it has no fingerprint.
 * @example readWorkerIdentity('4711@host planwright/3f9a0c51'); // { fingerprint: '3f9a0c51', pid: 4711, host: 'host' }
 */
export function readWorkerIdentity(identity: string): WorkerIdentity | undefined {
  const [, pid, host, fingerprint] = IDENTITY.exec(identity) ?? [];
  if (fingerprint === undefined) return undefined;
  return { fingerprint, ...(pid !== undefined && host !== undefined && { pid: Number(pid), host }) };
}
