/** The prompts of a small project, as they are sent: a change of a word, or of the size in tokens, is seen in review. */

import { test } from 'vitest';
import { createRegistry } from '../../../src/capabilities/builtin/index.ts';
import { planFormat } from '../../../src/planner/form/index.ts';
import { instructionsFor } from '../../../src/planner/index.ts';
import { expectGolden } from '../../plan/golden.ts';
import { rank, researcher, search } from '../../support/scripted-planner.ts';

const capabilities = createRegistry([search, rank]).all;
const agents = [researcher];

/** Reckoned, as models with different tokenizers read it. */
const sized = (text: string) => `${Math.ceil(text.length / 4)} tokens of four characters\n\n${text}\n`;

test.each(['select', 'write', 'xml'] as const)('%s', (name) => {
  expectGolden(`prompt-${name}.txt`, sized(instructionsFor(name, { capabilities, agents })));
});

test('the schema of a plan', () => {
  const schema = JSON.stringify(planFormat(capabilities, agents, { asks: true }).schema);
  expectGolden('prompt-plan-schema.txt', sized(schema.replaceAll('},{', '},\n{')));
});
