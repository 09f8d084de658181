/**
 * The capabilities of a worker, in the name by which the server lists it, so that workers of two projects can be told
 * apart.
 */

import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { executorLabel, type ApprovalRule } from '../protocol/index.ts';
import { openKeyring, type EncryptionKeys } from '../protocol/encryption/index.ts';
import { publicKeysOf, type IdentityConfig } from '../protocol/identity/index.ts';
import { canonicalJson, type Catalogue } from '../plan/index.ts';

/** Hexadecimal digits: enough to tell the few projects of one server apart. It protects from mistakes, not from malice. */
const DIGITS = 8;
const IDENTITY = /^(?:(\d+)@(.+)|.*) planwright\/([0-9a-f]{8})$/su;

/** The facts in a worker's identity. `pid` and `host` are absent where its name is not the default one. */
export interface WorkerIdentity {
  readonly fingerprint: string;
  readonly pid?: number;
  readonly host?: string;
}

/**
 * The keys that a worker believes or decrypts with, and the rules that it demands: one without them would carry out what the
 * others refuse, and not read what they write.
 */
export interface Trust {
  readonly identity?: IdentityConfig | undefined;
  readonly rules?: readonly ApprovalRule[] | undefined;
  readonly encryption?: EncryptionKeys | undefined;
}

/**
 * Eight hexadecimal digits over the name, version and effect of everything that tasks can name, the public keys, the approval
 * rules and the encryption keys of the project, whatever their order.
 * @throws IdentityError, EncryptionError when a key is none
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
    ...rules.map((rule) => canonicalJson({ ...rule })),
    // Another key under the same id is another one; nobody computes it from what is told.
    ...(encryption === undefined ? [] : openKeyring(encryption).all).map((key) =>
      canonicalJson({ encryption: key.id, check: key.derive('planwright fingerprint').toString('hex') }),
    ),
  ];
  // JSON, since a name may hold whatever would stand between two labels.
  const text = JSON.stringify([...labels.toSorted(), ...trust.toSorted()]);
  return createHash('sha256').update(text).digest('hex').slice(0, DIGITS);
}

/**
 * The name of a worker at the server: `NAME planwright/FINGERPRINT`. Default name: process id and host, as the SDK's.
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
 * Reads the server's name for a poller; undefined where it has no fingerprint.
 * @example readWorkerIdentity('4711@host planwright/3f9a0c51'); // { fingerprint: '3f9a0c51', pid: 4711, host: 'host' }
 */
export function readWorkerIdentity(identity: string): WorkerIdentity | undefined {
  const [, pid, host, fingerprint] = IDENTITY.exec(identity) ?? [];
  if (fingerprint === undefined) return undefined;
  return { fingerprint, ...(pid !== undefined && host !== undefined && { pid: Number(pid), host }) };
}
