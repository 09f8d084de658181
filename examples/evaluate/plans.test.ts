/** How well a model plans: each case is planned and graded, and nothing of a plan runs. README.md says how to use it. */

import { readFileSync } from 'node:fs';
import { compilePlan, createPlan, createSet, openAIClient, sameMeaning, scriptedClient } from 'planwright';
import { createRegistry, defineCapability } from 'planwright/capabilities';
import { expect, test } from 'vitest';
import { z } from 'zod';

interface Case {
  readonly name: string;
  readonly goal: string;
  /** A plan that is right. Another form of it is as good. */
  readonly wanted: object;
  /** The capabilities and agents that the plan may use. */
  readonly capabilities: readonly string[];
  /** The most tokens that planning may cost. */
  readonly tokens: number;
  /** What the scripted model replies: it stands in for a real one, so that the test runs without a key. */
  readonly reply: object;
}

const cases = JSON.parse(readFileSync(new URL('cases.json', import.meta.url), 'utf8')) as Case[];
/** How often each case is planned; a model does not always reply the same. */
const REPEATS = Number(process.env['REPEATS'] ?? 1);
const { MODEL_URL: baseURL, MODEL_NAME: name } = process.env;

// In your project: import config from './planwright.config.ts', and take its capabilities and agents.
const genes = { output: 'set', effect: 'read', execute: () => createSet([]) } as const;
const capabilities = [
  defineCapability({
    ...genes,
    name: 'genes.find',
    description: 'Genes by a word of their description.',
    input: z.object({ word: z.string() }),
  }),
  defineCapability({
    ...genes,
    name: 'genes.expressed',
    description: 'Genes that a tissue expresses.',
    input: z.object({ tissue: z.string() }),
  }),
];
const catalogue = createRegistry(capabilities);

test.each(cases.flatMap((one) => Array.from({ length: REPEATS }, () => one)))(
  '$name',
  { timeout: 120_000 },
  async (one) => {
    const model =
      baseURL === undefined || name === undefined
        ? scriptedClient([{ when: one.goal, reply: { value: { ...one.reply, explanation: 'So.' } } }])
        : openAIClient({ baseURL, name, api: 'chat', format: 'json_schema' });
    const { plan, fallback, trouble, usage } = await createPlan(one.goal, [], { model, capabilities, catalogue });
    expect(fallback, trouble?.message).toBe(false);

    const wanted = compilePlan(one.wanted, { catalogue });
    if (!wanted.ok) throw new Error(`cases.json: ${wanted.issues[0]?.message}`);
    expect(sameMeaning(plan, wanted.plan)).toBeUndefined();

    const used = plan.tasks.flatMap(({ capability, agent }) => capability ?? agent ?? []);
    expect(used.filter((executor) => !one.capabilities.includes(executor))).toEqual([]);

    expect(usage.inputTokens + usage.outputTokens).toBeLessThanOrEqual(one.tokens);
  },
);
