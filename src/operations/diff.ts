import { diffPlans, planSchema, renderDiff } from '../plan/index.ts';
import { given } from '../protocol/index.ts';
import { compileSource, contextOption, source } from './compile.ts';
import { countField, operation } from './operation.ts';

/**
 * Compares two files, of which one may be `-` (stdin). Prints a line for each change, such as `~ node_6 focused Focus
 * the beam value: 44 -> 46`: `+` added, `-` removed, `~` changed, `>` moved (the same node as the input of another),
 * `"` renamed, `=` the number of unchanged nodes.
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
    more: 'It exits 0 if they are one plan, 1 if they differ.',
  },
  does: 'Compare two plans by what their nodes mean.',
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

/** The package contains the schema as `schema/plan.schema.json`. */
export const schema = operation({
  command: { words: 'schema', example: 'schema > plan.schema.json' },
  does: 'Print the JSON schema of plans, for editors.',
  input: (z) => z.object({}),
  run: async () => planSchema(),
});
