/** A plan in words, two plans compared, and the language that plans are written in. */

import { diffPlans, executorOf, nodeSentence, planSchema, planSentence, renderDiff } from '../plan/index.ts';
import { given } from '../protocol/index.ts';
import {
  compileSource,
  contextKeysOption,
  contextOption,
  FROM_SOURCE,
  resolveOption,
  seenOf,
  source,
} from './compile.ts';
import { needProject } from './plans.ts';
import { countField, operation } from './operation.ts';

/**
 * One sentence for the plan and one for each node. No config is read unless one is named.
 *
 * JSON:
 * `{"ok":true,"goal","digest","sentence","nodes":[{"id","displayName"?,"sentence","executor","effect"?}],"effects"?}`;
 * jsonl is a node a line.
 */
export const explain = operation({
  command: {
    words: 'explain <file>',
    hides: ['plan', 'executors', 'warnings', 'seen'],
    lines: ['nodes'],
    example: 'explain plan.json --config planwright.config.ts',
    place: ['config', 'demo'],
    from: FROM_SOURCE,
  },
  host: { fields: ['document'], hides: ['plan', 'executors'] },
  does: 'Says in words what a plan gives and what each of its nodes does.',
  input: (z) =>
    z.object({
      ...source(z),
      context: contextOption(z),
      contextKeys: contextKeysOption(z),
      resolve: resolveOption(z),
    }),
  async run(plans, { resolve, context, contextKeys, ...document }) {
    const catalogue = resolve ? (await needProject(plans, 'explain')).registry : undefined;
    const compiled = await compileSource(document, given({ catalogue, context, contextKeys }));
    const { plan, executors, warnings } = compiled;
    const nodes = Object.values(plan.nodesById).map((node) => ({
      id: node.id,
      ...(node.displayName !== undefined && { displayName: node.displayName }),
      sentence: nodeSentence(node, plan),
      ...executorOf(node, executors),
    }));
    const effects: Record<string, number> = {};
    for (const { effect } of nodes) if (effect !== undefined) effects[effect] = (effects[effect] ?? 0) + 1;
    const { goal, digest } = plan;
    const known = executors && { effects, executors };
    return { goal, digest, sentence: planSentence(plan), nodes, ...known, plan, warnings, seen: seenOf(plan) };
  },
});

/**
 * One of the two may be `-`. A change is one line, `~ node_6 focused  Focus the beam  value: 44 -> 46`. Each line
 * begins with `+` (added), `-` (removed), `~` (changed), `>` (moved: the same node, taken elsewhere), `"` (shown under
 * another name) or `=` (how many are as before; a run of the new plan can reuse those and the moved ones).
 *
 * JSON:
 * `{"ok":true,"before","after","same","fields","added","removed","changed","moved","reused","renamed","withoutContext"?}`.
 */
export const diff = operation({
  command: {
    words: 'diff <before> <after>',
    hides: ['text', 'warnings'],
    example: 'diff plan.json edited.json',
    from: { before: 'source', after: 'source', context: 'object', width: 'columns' },
    more: 'exits 0 when they are one plan, 1 when they differ',
  },
  does: 'Compares two plan documents by what their nodes mean, not by how they are written.',
  input: (z) =>
    z.object({
      before: z.object(source(z)).describe('plan document'),
      after: z.object(source(z)).describe('plan document'),
      context: contextOption(z),
      width: countField(z, 'columns of the lines of the text'),
    }),
  async run(_plans, { before, after, context, width }) {
    const options = given({ context });
    const [was, now] = [await compileSource(before, options), await compileSource(after, options)];
    const found = diffPlans(was.plan, now.plan);
    const text = renderDiff(found, was.plan, now.plan, width === undefined ? {} : { width });
    const [one, other] = [was.plan.digest, now.plan.digest];
    return { before: one, after: other, ...found, text, warnings: [...was.warnings, ...now.warnings] };
  },
});

/**
 * The package has it as `schema/plan.schema.json`.
 */
export const schema = operation({
  command: { words: 'schema', example: 'schema > plan.schema.json' },
  does: 'Gives the JSON schema (draft-07) of plan documents, for editors.',
  input: (z) => z.object({}),
  run: async () => planSchema(),
});
