import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compilePlan,
  diffPlans,
  nodeSentence,
  nodeSummary,
  planSentence,
  renderDiff,
  renderMarkdown,
  renderMermaid,
  renderTree,
} from '../../../src/plan/index.ts';
import { visible } from '../../../src/plan/text/index.ts';
import { anyText } from '../text/arbitraries.ts';
import { RUNS } from '../arbitraries.ts';
import { combine, task } from '../example-plans.ts';
import type { CompiledPlan } from '../../../src/plan/index.ts';
import { compiledPlan } from '../../support/plans.ts';

/** Escapes and texts that hide, none of which a plan may be refused for. */
const HIDDEN = [
  '\u001b[31m',
  '\u001b]0;x\u0007',
  '\u202e',
  '\u00ad',
  '\ufe0f',
  '\ufff9',
  '\u180e',
  '\u3164',
  '\u{e0041}',
];

const planOf = (document: unknown): CompiledPlan => compiledPlan(document, { contextKeys: ['out'] }).plan;

/** Every field of a tree and of a step, with this text in it. */
function plansWith(text: string): readonly CompiledPlan[] {
  const about = `x${text}y`;
  const details = { hint: about, context: { [about]: about }, arguments: [about], display_name: about };
  const node = task(about, { ...details, capability: about, input: task('z', { agent: about }) });
  const step = { context_key: about, task_objective: 'a', action: about, description: about, expected_output: about };
  return [
    planOf({ goal: about, plan: combine('UNION', node, task(about), { display_name: about }) }),
    planOf({
      goal: about,
      steps: [
        { ...step, success_criteria: about, capability: about, parameters: { q: about } },
        { context_key: 'end', capability: 'respond', task_objective: about, inputs: [{ [about]: about }, 'out'] },
      ],
    }),
  ];
}

function renderingsOf(plan: CompiledPlan): readonly string[] {
  const other = planOf({ goal: 'other', plan: task('other') });
  return [
    planSentence(plan),
    ...Object.values(plan.nodesById).flatMap((node) => [nodeSentence(node, plan), nodeSummary(node)]),
    renderTree(plan),
    renderMermaid(plan),
    renderMarkdown(plan, { mermaid: true }),
    renderDiff(diffPlans(plan, other), plan, other),
    renderDiff(diffPlans(other, plan), other, plan),
  ];
}

describe('no rendering holds what cannot be seen or could rule a terminal', () => {
  test.each(HIDDEN)('%j', (text) => {
    for (const rendering of plansWith(text).flatMap(renderingsOf))
      expect(visible(rendering, { lines: true })).toBe(rendering);
  });

  test('of any text', () => {
    fc.assert(
      fc.property(anyText, (drawn) => {
        const text = drawn.toWellFormed().replaceAll('\0', '');
        for (const rendering of plansWith(text).flatMap(renderingsOf))
          expect(visible(rendering, { lines: true })).toBe(rendering);
      }),
      { ...RUNS, numRuns: 150 },
    );
  });

  test('nor does the message of an issue', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const documents = [
          { goal: 'g', plan: { type: text, task: 5, [text]: 1, hint: [text] } },
          { goal: 'g', plan: combine(text, task('A'), 5, { colocate: { [text]: text } }) },
          { goal: 'g', steps: [{ context_key: text, inputs: [text, { [text]: text }] }], [text]: 1 },
          `{"goal":"g","plan":{"task":"A"}} ${text}`,
          `<plan><objective>g</objective><step id="${text}"><a${text}>x</a${text}></step></plan>`,
        ];
        for (const document of documents) {
          const result = compilePlan(document);
          for (const { message, path } of result.ok ? result.warnings : result.issues) {
            expect(visible(message)).toBe(message);
            expect(visible(path)).toBe(path);
          }
        }
      }),
      RUNS,
    );
  });
});
