/**
 * Planning and deciding with a real model, small and silly: its wisdom is not asserted. Whatever it says ends in a valid plan or
 * in the marked fallback, is counted, and decides nothing that was not offered.
 */

import { expect, test } from 'vitest';
import { z } from 'zod';
import { createSet } from '../../src/plan/algebra/index.ts';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { defineAgent } from '../../src/capabilities/index.ts';
import { compilePlan } from '../../src/plan/index.ts';
import { createPlan } from '../../src/planner/index.ts';
import { decisionRequest } from '../../src/planner/round/decision-request.ts';
import { NO_NOTES } from '../../src/planner/round/notes.ts';
import { readDecision } from '../../src/planner/round/read-decision.ts';
import { toolsFor } from '../../src/planner/round/tools.ts';
import { openAIClient, type ModelClient } from '../../src/models/index.ts';
import { tool } from '../support/capabilities.ts';

const baseURL = process.env['PLANWRIGHT_MODEL_URL'] ?? '';
const server = openAIClient({ baseURL, name: 'SmolLM2-135M', api: 'chat', format: 'json_schema' });
/** A model of this size writes on and on. */
const model: ModelClient = {
  name: server.name,
  complete: (request, options) => server.complete({ ...request, maxTokens: 200 }, options),
};

const search = tool('search', 'read', 'set', z.object({ word: z.string() }), () => createSet([]));
const finder = defineAgent({
  name: 'finder',
  description: 'Finds genes.',
  instructions: 'Find.',
  capabilities: [search],
});
const registry = createRegistry([search], { agents: [finder] });

test('planning ends in a valid plan or the marked fallback, and its usage is counted', async () => {
  const told: string[] = [];
  const made = await createPlan('Find genes of the liver', [finder], {
    model,
    capabilities: registry.all,
    catalogue: registry,
    onFeedback: ({ text }) => told.push(text),
    sleep: () => Promise.resolve(),
  });
  const compiled = compilePlan(made.document, { catalogue: registry, ...(made.fallback && { isStep: true }) });
  expect(compiled.ok).toBe(true);
  expect(made.usage.calls).toBeGreaterThan(0);
  expect(made.usage.outputTokens).toBeGreaterThan(0);
  expect(made.fallback).toBe(made.trouble !== undefined);
  expect(told.length).toBeGreaterThan(0);
  console.info(
    `${made.fallback ? `the fallback (${made.trouble?.message.split('\n')[0]})` : 'a valid plan'} after ${made.usage.calls} calls`,
  );
}, 600_000);

test('a decision is a tool that was offered, an answer, or nothing', async () => {
  const tools = toolsFor({ capabilities: [search], agents: [], plans: false });
  const task = { goal: 'Find genes of the liver', inputs: [] };
  const offered = { capabilities: [search], agents: [], tools };
  const request = decisionRequest({ task, notes: NO_NOTES, ...offered, prompts: {}, together: true });
  const reply = await model.complete(request);
  const { decision } = readDecision(reply, tools);
  expect(['capability', 'finish', 'none']).toContain(decision.is);
  if (decision.is === 'capability') expect(decision).toMatchObject({ name: 'search' });
  console.info(`decided: ${decision.is}`);
}, 300_000);
