import { compileDocument } from '../capabilities/compile-document.ts';
import {
  lacksContext,
  planSentence,
  type CompileOptions,
  type CompileResult,
  diffPlans,
  planSchema,
  renderDiff,
} from '../plan/index.ts';
import { boundsOfPlan, boundsText, given, type RunOptions } from '../protocol/index.ts';
import { parsePlanInput } from '../protocol/read-input.ts';
import type { EquippedProject } from '../config/project/index.ts';
import { invalidPlanError, OperationError } from './operation-error.ts';
import { choiceField, countField, flagField, namesField, operation, type Z } from './operation.ts';
import { mermaidOf } from './pictures.ts';
import { equippedProject } from './plans.ts';

export interface Source {
  readonly document?: unknown;
  readonly syntax?: 'yaml' | undefined;
}

export const source = (z: Z) => ({
  // Names the types, since MCP hosts send a field without a type as text.
  document: z
    .unknown()
    .meta({ type: ['object', 'string'] })
    .describe('a plan document: JSON, or its text'),
  syntax: choiceField(z, ['yaml'], 'default: told by its content'),
});

export const contextOption = (z: Z) =>
  z
    .record(z.string(), z.unknown())
    .optional()
    .describe('JSON object: values from outside that steps name, which the digest then holds');

/** The options of runs that a grant or a schedule starts later. */
export const laterRunOptions = (z: Z) => ({
  approval: z.unknown().optional().describe('approval of the runs: required, effects or a file (default required)'),
  budget: z.unknown().optional().describe('budget of the runs, such as {"tokens":50000} (default none)'),
  context: contextOption(z),
});

/** @throws OperationError INPUT_INVALID */
export function readRunOptions(options: object): RunOptions {
  const parsed = parsePlanInput({ plan: {}, options });
  if (parsed.ok) return parsed.options;
  throw new OperationError('INPUT_INVALID', parsed.problems.join('; '));
}

export type CompiledSource = Extract<CompileResult, { readonly ok: true }>;

export async function compileSource(
  { document, syntax }: Source,
  options: CompileOptions = {},
): Promise<CompiledSource> {
  const compiled = await compileDocument(document, { ...given({ syntax }), ...options });
  if (compiled.ok) return compiled;
  throw invalidPlanError(compiled.issues);
}

/**
 * Prints a line for each node, without a server, and checks names and arguments if there is a config: the node's id, its
 * context key, a badge for an effect other than read (`! at-most-once`), its title, and details below it. A list of
 * steps keeps its order; any other plan is a tree. Above 100 lines, some are folded and counted, but no effects. With a
 * config, the first line has the upper limits of what the plan does, asks and costs, and the last line a summary:
 * `3 reads, 1 at-most-once: pay`.
 *
 * JSON: `{"ok":true,"plan","sentence","warnings","executors"?,"bounds"?,"mermaid"?}`, or exit 3 and
 * `{"ok":false,"error":{"code":"PLAN_INVALID","message","issues"}}`.
 */
export const compile = operation({
  command: {
    words: 'compile <file>',
    hides: ['seen', 'limits'],
    example: 'compile plan.json -o json',
    place: ['config', 'demo'],
    from: { document: 'source-fields', syntax: 'none', context: 'object' },
  },
  host: { fields: ['document', 'format'], hides: ['plan'] },
  does: 'Check a plan: show its tree and digest, or all its errors.',
  input: (z) =>
    z.object({
      ...source(z),
      format: z.enum(['auto', 'tree', 'steps', 'xml']).default('auto').describe('auto, tree, steps or xml'),
      agents: namesField(z, 'known agents'),
      capabilities: namesField(z, 'known capabilities'),
      contextKeys: namesField(z, 'keys that a step list may take from outside'),
      context: contextOption(z),
      contextRefs: z.record(z.string(), z.string()).optional().describe('references of results, by key'),
      maxDepth: countField(z, 'levels a plan may have, at most the default, 1000'),
      maxNodes: countField(z, 'nodes a plan may have (default 20000)'),
      mermaid: flagField(z, 'its diagram alone, as Mermaid'),
    }),
  async run(plans, { document, syntax, mermaid, maxDepth: depth, maxNodes: nodes, ...options }) {
    const read = given({ ...options, limits: given({ depth, nodes }) });
    const project = await equippedProject(plans);
    if (project === undefined) return compiledOutput(await compileSource({ document, syntax }, read), mermaid);
    const { registry } = project;
    const compiled = await compileSource({ document, syntax }, { ...read, catalogue: registry });
    // Imports the module on demand, since it loads every built-in capability.
    const { lookAtPlan } = await import('../capabilities/builtin/index.ts');
    const { signal } = new AbortController();
    const { refusing, warnings = {} } = await lookAtPlan(compiled.plan, compiled.executors ?? {}, registry, signal);
    const checked = refusing && (await compileSource({ document, syntax }, { ...read, catalogue: refusing }));
    const found = checked ?? compiled;
    return compiledOutput(found, mermaid, Object.values(warnings), await boundsIn(found, project));
  },
});

async function boundsIn({ plan, executors = {} }: CompiledSource, project: EquippedProject) {
  const { registry, rules, identity, budget } = project;
  const { graphOfPlan } = await import('../activities/plan-shape.ts');
  const { missingFor, projectRules, reachedRules, rulesOf } = await import('../workflows/run/index.ts');
  const shape = graphOfPlan(plan, executors, registry);
  const known = projectRules({ ...given({ rules }), ...(identity !== undefined && { keys: {} }) });
  const gate = { plan: shape, rules: reachedRules([...rulesOf('required'), ...known], shape), deadlineMs: 0 };
  const approvals = missingFor([...shape.executorOf.keys()], gate, []);
  const bounds = boundsOfPlan(shape, { budget, approvals });
  return { ...bounds, text: boundsText(bounds) };
}

const WITHOUT_CONTEXT =
  'this digest is one without context: the run has another one, which holds the values that its steps read; give the same values as "context"';

function compiledOutput(
  { plan, warnings, executors }: CompiledSource,
  isDrawn = false,
  remarks: readonly string[] = [],
  bounds?: Awaited<ReturnType<typeof boundsIn>>,
) {
  const seen = lacksContext(plan) ? [...remarks, WITHOUT_CONTEXT] : remarks;
  const more = { ...given({ executors, bounds }), ...(isDrawn && mermaidOf(plan)) };
  return { digest: plan.digest, sentence: planSentence(plan), plan, warnings, ...more, seen };
}

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
