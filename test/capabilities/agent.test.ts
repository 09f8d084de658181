/** Agents: what a declaration must be, and what the registry makes of it for the compiler and for approvals. */

import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { createRegistry, fileCapabilities } from '../../src/capabilities/builtin/index.ts';
import { defineAgent, type Agent, type Capability } from '../../src/capabilities/index.ts';
import { compilePlan } from '../../src/plan/index.ts';
import { echo, ids } from '../support/capabilities.ts';

const words = { description: 'Finds sources.', instructions: 'Search before you answer.' };
const researcher = defineAgent({ name: 'researcher', ...words, capabilities: [ids, echo] });
const given = (over: object): Agent => defineAgent({ ...researcher, ...over });

const executorOf = (agent: Agent) => {
  const executor = createRegistry([], { agents: [agent] }).executor('agent', agent.name);
  if (executor === undefined) throw new Error('no executor');
  return executor;
};

describe('a declaration of an agent', () => {
  test.each<[what: string, over: object, source: string | undefined]>([
    ['with trusted capabilities', {}, undefined],
    ['with an untrusted one', { capabilities: [{ ...ids, untrusted: 'web page' }] }, 'agent researcher'],
    ['that may read what runs write', { capabilities: fileCapabilities() }, 'agent researcher'],
    ['whose project trusts it', { capabilities: fileCapabilities(), untrusted: false }, undefined],
  ])('%s is untrusted: %j', (_, over, source) => {
    expect(executorOf(given(over)).untrusted).toBe(source);
  });

  test('Pathfinder: sub-agent limits, 120 s for a model call and 5 attempts without a result', () => {
    expect(researcher.limits).toEqual({ rounds: 20, attempts: 5, attemptMs: 120_000 });
    expect(given({ limits: { rounds: 3, attempts: undefined } }).limits).toEqual({
      ...researcher.limits,
      rounds: 3,
    });
  });

  test.each(['a', 'Gene researcher 2', 'x'.repeat(80), 'a.b_c-d'])('takes the name %j', (name) => {
    expect(given({ name }).name).toBe(name);
  });

  test.each(['', '1st', 'a/b', 'a ', ' a', 'a\nb', 'x'.repeat(81), 7])('is refused with the name %j', (name) => {
    expect(() => given({ name })).toThrow('a name is letters');
  });

  test.each<[over: object, says: string]>([
    [{ description: ' ' }, 'description is a text that is not blank, not " "'],
    [{ instructions: undefined }, 'instructions is a text that is not blank, not nothing'],
    [{ tools: [] }, 'there is no tools; known are name, description'],
    [{ capabilities: ids }, 'capabilities is a list, not an object'],
    [{ capabilities: [ids, 'echo'] }, 'capabilities[1] is no capability'],
    [{ capabilities: [null] }, 'capabilities[0] is no capability'],
    [{ capabilities: [ids, ids] }, 'capability ids is among its capabilities twice'],
    [{ model: { name: '' } }, 'model.name is a text that is not blank, not ""'],
    [{ model: { temperature: -1 } }, 'model.temperature is a number from 0 to 2, or null to send none, not number -1'],
    [{ model: { temperature: Number.NaN } }, 'model.temperature is a number from 0'],
    [{ model: { temperature: 2.1 } }, 'model.temperature is a number from 0 to 2'],
    [{ model: { maxTokens: 0 } }, 'model.maxTokens is a whole number from 1, not number 0'],
    [{ model: { apiKey: 'k' } }, 'there is no model.apiKey; known are name, temperature, maxTokens'],
    [{ limits: { rounds: 0 } }, 'limits.rounds is a whole number from 1, not number 0'],
    [{ limits: { attempts: 1.5 } }, 'limits.attempts is a whole number from 1, not number 1.5'],
    [{ limits: { attemptMs: 290_001 } }, 'limits.attemptMs is at most 290000'],
    [{ limits: { attemptMs: '9s' } }, 'limits.attemptMs is a whole number from 1, not "9s"'],
    [{ limits: { turns: 3 } }, 'there is no limits.turns; known are rounds, attempts, attemptMs'],
  ])('is refused with %j', (over, says) => {
    expect(() => given(over)).toThrow(`agent researcher: ${says}`);
  });
});

describe('an agent in the registry', () => {
  test('is found by its name exactly, and its capabilities belong to the project', () => {
    const registry = createRegistry([ids], { agents: [researcher] });
    expect(registry.agents).toEqual(['researcher']);
    expect(registry.agent('researcher')).toBe(researcher);
    expect([registry.agent('Researcher'), registry.executor('agent', 'Researcher')]).toEqual([undefined, undefined]);
    expect([registry.capability('researcher'), registry.executor('capability', 'researcher')]).toEqual([
      undefined,
      undefined,
    ]);
    expect(registry.capabilities).toEqual(['ids', 'echo', 'respond', 'ask', 'clarify']);
  });

  test.each<[string, readonly Capability[], string]>([
    ['no capability', [], 'read'],
    ['reads', [ids, echo], 'read'],
    ['one that may be repeated', [ids, { ...echo, effect: 'idempotent' }], 'idempotent'],
    [
      'one that must not be',
      [
        { ...ids, effect: 'at-most-once' },
        { ...echo, effect: 'idempotent' },
      ],
      'at-most-once',
    ],
  ])('with %s has the highest effect of its capabilities', (_, capabilities, effect) => {
    expect(executorOf(given({ capabilities }))).toMatchObject({ kind: 'agent', name: 'researcher', effect });
  });

  test('takes any arguments', () => {
    const registry = createRegistry([], { agents: [researcher] });
    fc.assert(
      fc.property(fc.option(fc.jsonValue(), { nil: undefined }), (args) => {
        expect(registry.checkArguments(executorOf(researcher), args as never)).toEqual([]);
      }),
    );
  });

  test('is what a plan names, in any case, and what a task goes to that names nothing', () => {
    const registry = createRegistry([], { agents: [researcher], defaultExecutor: 'researcher' });
    const plan = { type: 'task', task: 'Compare', agent: 'RESEARCHER ', input: { type: 'task', task: 'Look' } };
    const compiled = compilePlan({ goal: 'g', plan }, { catalogue: registry });
    const executor = executorOf(researcher);
    expect(compiled).toMatchObject({ ok: true, executors: { node_1: executor, node_2: executor } });
  });
});

describe('the version of an agent', () => {
  const version = (over: object) => executorOf(given(over)).version;

  test('is twelve hexadecimal digits, and the same for the same', () => {
    expect(version({})).toMatch(/^[0-9a-f]{12}$/);
    expect(version({})).toBe(version({ capabilities: [echo, ids], description: 'Other words.' }));
    expect(version({})).toBe(version({ limits: { rounds: 20 }, model: {} }));
  });

  test.each<[string, object]>([
    ['its instructions', { instructions: 'Answer at once.' }],
    ['the name of its model', { model: { name: 'small' } }],
    ['its temperature', { model: { temperature: 0.5 } }],
    ['that none is sent', { model: { temperature: null } }],
    ['the length of replies', { model: { maxTokens: 100 } }],
    ['a limit', { limits: { rounds: 21 } }],
    ['a capability less', { capabilities: [ids] }],
    ['a version of a capability', { capabilities: [ids, { ...echo, version: '2' }] }],
    ['an effect of a capability', { capabilities: [ids, { ...echo, effect: 'idempotent' }] }],
  ])('changes with %s', (_, over) => {
    expect(version(over)).not.toBe(version({}));
  });
});

describe('is refused when a project is put together', () => {
  const other = { ...ids, description: 'Other ids.' };
  test.each<[string, readonly Capability[], readonly Agent[], string]>([
    ['two agents of one name', [], [researcher, researcher], 'agent researcher is declared twice'],
    ['two names in two cases', [], [researcher, given({ name: 'Researcher' })], 'differ in case only'],
    [
      'an agent named as a capability',
      [{ ...ids, name: 'researcher' }],
      [researcher],
      'researcher is the name of a capability and of an agent',
    ],
    [
      'an agent named as what every project has',
      [],
      [given({ name: 'respond' })],
      'respond is the name of a capability',
    ],
    [
      'two capabilities of one name',
      [other],
      [researcher],
      'agent researcher lists a capability ids that is not the one',
    ],
    [
      'two agents with different capabilities of one name',
      [],
      [researcher, given({ name: 'writer', capabilities: [other] })],
      'agent writer lists a capability ids that is not the one',
    ],
  ])('%s', (_, capabilities, agents, message) => {
    expect(() => createRegistry(capabilities, { agents })).toThrow(message);
  });

  test.each<[object, string]>([
    [
      { defaultExecutor: 'writer' },
      'tasks.default names writer; declared are ids, echo, respond, ask, clarify, agent res',
    ],
  ])('with %j', (options, message) => {
    expect(() => createRegistry([], { ...options, agents: [researcher] })).toThrow(message);
  });
});
