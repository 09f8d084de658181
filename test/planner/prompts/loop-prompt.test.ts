/** The prompt of a loop: how large its fixed part is, and how much of a request is that of the round before. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ModelRequest } from '../../../src/models/index.ts';
import { decisionRequest } from '../../../src/planner/round/decision-request.ts';
import { NO_NOTES, withObservation, withRound, type LoopNotes } from '../../../src/planner/round/notes.ts';
import { toolsFor } from '../../../src/planner/round/tools.ts';
import { ROOT } from '../../support/source-files.ts';
import { SIXTEEN } from './loop-capabilities.ts';

const GOLDEN = join(ROOT, 'test/fixtures/golden/loop-prompt.txt');
/** The characters of the same prompt when it told capabilities in the instructions and as tools. */
const TOLD_TWICE = 14_422;

const tools = toolsFor({ capabilities: SIXTEEN, agents: [], plans: true });
const requestOf = (notes: LoopNotes): ModelRequest => {
  const task = { goal: 'Find kinases that the treatment changes', inputs: [] };
  return decisionRequest({ task, notes, tools, capabilities: SIXTEEN, agents: [], prompts: {}, together: true });
};

test('the fixed prompt of a loop with 16 capabilities takes at most 60 % of what it took', () => {
  const { messages, tools: told = [] } = requestOf(NO_NOTES);
  const [{ content = '' } = {}] = messages;
  const lines = told.map((tool) => JSON.stringify(tool));
  const characters = content.length + JSON.stringify(told).length;
  const size = `${characters} characters, about ${Math.ceil(characters / 4)} tokens; ${TOLD_TWICE} before`;
  const text = `${[size, content, ...lines].join('\n\n')}\n`;
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(GOLDEN, text);
  expect(text).toBe(readFileSync(GOLDEN, 'utf8'));
  expect(SIXTEEN).toHaveLength(16);
  expect(characters).toBeLessThanOrEqual(0.6 * TOLD_TWICE);
});

test('capabilities are told once: their tools tell all that the instructions told', () => {
  const { messages, tools: told = [] } = requestOf(NO_NOTES);
  for (const { name, requires, provides } of SIXTEEN) {
    expect(messages[0]?.content).not.toContain(`${name}:`);
    const tool = JSON.stringify(told.find((one) => one.name === name.replaceAll('.', '_')));
    for (const type of [...requires, ...provides]) expect(tool).toContain(type);
  }
});

test('a call is required, and one alone where several reads are not taken', () => {
  const given = { task: { goal: 'g', inputs: [] }, notes: NO_NOTES, tools, capabilities: [], agents: [], prompts: {} };
  const [several, one] = [true, false].map((together) => decisionRequest({ ...given, together }));
  expect(several).toMatchObject({ toolChoice: 'required' });
  expect(several).not.toHaveProperty('parallelToolCalls');
  expect(one).toMatchObject({ toolChoice: 'required', parallelToolCalls: false });
});

test('a field of a capability may have the name of a keyword that is left out', () => {
  const find = (name: string) => told.find((one) => one.name === name)?.parameters;
  const { tools: told = [] } = requestOf(NO_NOTES);
  expect(find('calculate')).toMatchObject({ properties: { unit: { type: 'string' } } });
  expect(find('ask')).not.toHaveProperty('properties.roles');
  expect(find('submit_plan')).toMatchObject({ required: ['nodes'], properties: { nodes: { type: 'array' } } });
});

test('of the bytes of 30 requests at least 80 % begin the request as they began the one before', () => {
  let notes = NO_NOTES;
  const texts: string[] = [];
  for (let round = 1; round <= 30; round++) {
    const { messages, tools: told } = requestOf(notes);
    // A server reads tools before messages.
    texts.push(`${JSON.stringify(told)}${JSON.stringify(messages)}`);
    const call = { name: 'genes_search', arguments: `{"text":"kinase ${round}","organism":"human"}` };
    const noted = withRound(notes, { round, call, said: `Look ${round}`, line: `- Step 'step_${round}'` });
    const observed = () => ({
      observed: `step_${round}: ${'gene '.repeat(100)}`,
      line: `- Step 'step_${round}': SUCCESS`,
    });
    notes = withObservation(noted, { observed, results: { [`step_${round}`]: `ref_${round}` }, types: {} });
  }
  const all = texts.slice(1).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const same = texts.slice(1).reduce((sum, text, at) => sum + sameBytes(text, texts[at]!), 0);
  console.info(`${((100 * same) / all).toFixed(1)} % of the bytes of 30 requests are those of the request before`);
  expect(same / all).toBeGreaterThanOrEqual(0.8);
});

function sameBytes(text: string, before: string): number {
  let at = 0;
  while (at < text.length && text[at] === before[at]) at++;
  return Buffer.byteLength(text.slice(0, at));
}
