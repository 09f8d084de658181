/** Texts that are no plan, each of at most 256 KiB, and made to keep a reader busy. */

import { aliasBomb } from './alias-bomb.ts';

const step = (more: string) => `{"goal":"g","steps":[{"context_key":"a","task_objective":"t",${more}}]}`;
const members = (many: number, of: (at: number) => string) => Array.from({ length: many }, (_, at) => of(at)).join();
const entity = (at: number) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`;
const xml = (inside: string) => `<plan><step><task>t</task>${inside}</step></plan>`;

export const HOSTILE_PLANS: Readonly<Record<string, string>> = {
  'aliases that double, short': aliasBomb(),
  'aliases that double, long': aliasBomb(7, 28),
  'an alias inside of its anchor': 'goal: g\nsteps:\n  - &s { task: t, args: { b: *s }, arguments: { a: 1 } }',
  'merge keys': `goal: g\nx0: &x0 { a: 1 }\n${members(90, (at) => `x${at + 1}: &x${at + 1} { <<: *x${at} }`).replaceAll(',x', '\nx')}\nsteps: [*x90]`,
  'brackets that nothing opens': `goal: g\nsteps:\n${'}'.repeat(120_000)}`,
  'brackets of YAML that nothing closes': `goal: g\nsteps: ${'['.repeat(120_000)}`,
  'brackets of JSON that nothing closes': `{"goal":"g","steps":${'['.repeat(200_000)}`,
  'levels of JSON': step(`"arguments":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`),
  'numbers of 100,000 digits': step(`"arguments":{"a":${'9'.repeat(100_000)},"a":1e${'9'.repeat(100_000)}}`),
  'one key 20,000 times': step(members(20_000, () => '"arguments":1')),
  '20,000 keys that are nearly known': step(members(20_000, (at) => `"capabilty${at}":1`)),
  'a key of 200,000 characters': step(`"${'result_from_step_'.repeat(12_000)}":{"task":"x","tool":"y"}`),
  'a text of names of results': step(`"arguments":{"x":"${'{{a.b}} result_from_step_'.repeat(8_000)}"}`),
  'quotes that nothing closes': `{"goal":"g","steps":[{"task":${'\\"'.repeat(100_000)}`,
  'entities that double': `<!DOCTYPE plan [<!ENTITY e0 "lol">${members(9, entity)}]>${xml('&e9;')}`,
  'levels of XML': xml('<step>'.repeat(30_000)),
  'attributes that nothing closes': xml('<step a="'.repeat(20_000)),
};
