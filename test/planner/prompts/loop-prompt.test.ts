/** The prompt of a loop: how large its fixed part is, and how much of a request is that of the round before. */

import { expect, test } from 'vitest';
import type { ModelRequest } from '../../../src/models/index.ts';
import { decisionRequest } from '../../../src/planner/round/decision-request.ts';
import { NO_NOTES, type LoopNotes } from '../../../src/planner/round/notes.ts';
import { toolsFor } from '../../../src/planner/round/tools.ts';
import { SIXTEEN } from './loop-capabilities.ts';

const tools = toolsFor({ capabilities: SIXTEEN, agents: [], plans: true });
const requestOf = (notes: LoopNotes): ModelRequest => {
  const task = { goal: 'Find kinases that the treatment changes', inputs: [] };
  return decisionRequest({ task, notes, tools, capabilities: SIXTEEN, agents: [], prompts: {}, together: true });
};

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
