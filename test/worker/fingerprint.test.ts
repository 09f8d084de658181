/** The name of a worker says what it can do, the same for the same capabilities. */

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { defineAgent, type Capability } from '../../src/capabilities/index.ts';
import { createKeyPair } from '../../src/protocol/identity/index.ts';
import { fingerprintOf, readWorkerIdentity, workerIdentity, type Trust } from '../../src/worker/index.ts';
import { echo, ids } from '../support/capabilities.ts';

const of = (...capabilities: readonly Capability[]) => fingerprintOf(createRegistry(capabilities));

const [KEY, OTHER] = [createKeyPair(), createKeyPair()].map(({ publicKey }) => ({ publicKey })) as [
  { publicKey: string },
  { publicKey: string },
];
const KEYS = { keys: { operator: KEY } };
const [SECRET, OTHER_SECRET] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')] as const;
const seen = new Set<string>();

describe('a fingerprint', () => {
  test('is eight hexadecimal digits', () => {
    expect(of(ids)).toMatch(/^[0-9a-f]{8}$/);
  });

  test('does not depend on the order', () => {
    expect(of(echo, ids)).toBe(of(ids, echo));
  });

  test.each<[string, readonly Capability[]]>([
    ['a version', [{ ...ids, version: '2' }, echo]],
    ['an effect', [{ ...ids, effect: 'idempotent' }, echo]],
    ['a name', [{ ...ids, name: 'others' }, echo]],
    ['what is given the goal', [{ ...ids, usesGoal: false }, echo]],
    ['a capability less', [ids]],
  ])('changes with %s', (_name, capabilities) => {
    expect(of(...capabilities)).not.toBe(of(ids, echo));
  });

  test('changes with an agent, and with what it is told', () => {
    const agent = (instructions: string) =>
      defineAgent({ name: 'researcher', description: 'Finds ids.', instructions, capabilities: [ids] });
    const told = ['Search.', 'Answer.'].map((one) => fingerprintOf(createRegistry([ids], { agents: [agent(one)] })));
    expect(new Set([...told, fingerprintOf(createRegistry([ids]))]).size).toBe(3);
  });

  test.each<[string, Trust]>([
    ['keys', { identity: KEYS }],
    ['another key under the same name', { identity: { keys: { operator: OTHER } } }],
    ['a role more of a key', { identity: { keys: { operator: { ...KEY, roles: ['lead'] } } } }],
    ['a rule', { rules: [{ effect: 'idempotent' }] }],
    ['another rule', { rules: [{ effect: 'idempotent', count: 2 }] }],
    ['keys and a rule', { identity: KEYS, rules: [{ effect: 'idempotent' }] }],
    ['encryption', { encryption: { keys: { a: SECRET }, current: 'a' } }],
    ['another encryption key under the same id', { encryption: { keys: { a: OTHER_SECRET }, current: 'a' } }],
    ['an encryption key more', { encryption: { keys: { a: SECRET, b: OTHER_SECRET }, current: 'a' } }],
  ])('changes with the trust of its project: %s', (_, trust) => {
    const registry = createRegistry([ids]);
    seen.add(fingerprintOf(registry));
    const before = seen.size;
    expect(seen.add(fingerprintOf(registry, trust)).size).toBe(before + 1);
  });

  test('does not change with the encryption key that is current: it is another for a moment while one is rotated', () => {
    const keys = { a: SECRET, b: OTHER_SECRET };
    const [one, other] = ['a', 'b'].map((current) =>
      fingerprintOf(createRegistry([ids]), { encryption: { keys, current } }),
    );
    expect(one).toBe(other);
  });
});

describe('an identity', () => {
  const registry = createRegistry([ids]);
  const fingerprint = fingerprintOf(registry);

  test('is process and host by default', () => {
    const identity = workerIdentity(registry);
    expect(identity).toBe(`${process.pid}@${hostname()} planwright/${fingerprint}`);
    expect(readWorkerIdentity(identity)).toEqual({ fingerprint, pid: process.pid, host: hostname() });
  });

  test('keeps the name that is given', () => {
    expect(workerIdentity(registry, 'bench 2')).toBe(`bench 2 planwright/${fingerprint}`);
    expect(readWorkerIdentity(`bench 2 planwright/${fingerprint}`)).toEqual({ fingerprint });
  });

  test.each(['4711@host', '', 'planwright', '1@host planwright/', '1@host planwright/12345678 more'])(
    'of another program, %j, says no fingerprint',
    (identity) => {
      expect(readWorkerIdentity(identity)).toBeUndefined();
    },
  );
});
