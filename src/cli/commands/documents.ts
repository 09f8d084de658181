/** `planwright compile`, `explain`, `diff` and `schema`: plan documents, offline, and without a project unless one is named. */

import { wrap } from '../../plan/lines/index.ts';
import { visible } from '../../plan/text/index.ts';
import { defineCommand } from '../define-command.ts';
import { choice, count, names, or, text } from '../options.ts';
import { PLAN_FILE, PROJECT } from '../flags.ts';
import { OperationError } from '../../operations/index.ts';

const CONTEXT_KEYS = names('<keys>', 'keys that a step list may take from outside, with commas between');
const CONTEXT = text('<file>', 'JSON object: values from outside that steps name, which the digest then holds');

async function contextIn(file: string | undefined) {
  if (file === undefined) return undefined;
  return (await import('../reading/index.ts')).readJsonObject(file, 'such as {"account":"shop"}');
}

export const compileCommand = defineCommand({
  name: 'compile',
  description: 'check a plan document and show the plan; needs no server',
  examples: ['planwright compile plan.json -o json'],
  arguments: PLAN_FILE,
  flags: {
    format: or('auto', choice('<format>', 'auto, tree, steps or xml', ['auto', 'tree', 'steps', 'xml'])),
    agents: names('<names>', 'known agents, with commas between'),
    capabilities: names('<names>', 'known capabilities, with commas between'),
    context: CONTEXT,
    contextKeys: CONTEXT_KEYS,
    maxDepth: count('levels a plan may have (default 10000)'),
    maxNodes: count('nodes a plan may have (default 200000)'),
    config: text('<file>', 'resolve every task against this planwright.config.ts'),
  },
  operation: 'compile',
  async input({
    file,
    format,
    agents,
    capabilities,
    context: values,
    contextKeys,
    maxDepth: depth,
    maxNodes: nodes,
    config,
  }) {
    const { readSource } = await import('../reading/index.ts');
    const context = await contextIn(values);
    const limits = { ...(depth !== undefined && { depth }), ...(nodes !== undefined && { nodes }) };
    const resolve = config !== undefined;
    return { ...(await readSource(file)), format, agents, capabilities, context, contextKeys, limits, resolve };
  },
  hides: ['seen'],
  async show({ plan, executors }, { output: { columns } }) {
    const { goalText, planText } = await import('../plan-text.ts');
    return `${goalText(plan.goal, columns)}\n\n${planText(plan, { ...(executors && { executors }) }, { columns })}`;
  },
  notes: ({ seen }) => seen.map((warning) => `warning: ${visible(warning)}`),
});

export const explainCommand = defineCommand({
  name: 'explain',
  description: 'say in words what a plan gives and what each of its nodes does; needs no server',
  examples: ['planwright explain plan.json --config planwright.config.ts'],
  arguments: PLAN_FILE,
  flags: {
    config: text('<file>', 'with what carries each node out in this project, and what that does to the world'),
    demo: PROJECT.demo,
    context: CONTEXT,
    contextKeys: CONTEXT_KEYS,
  },
  operation: 'explain',
  async input({ file, config, demo, context: values, contextKeys }) {
    const { readSource } = await import('../reading/index.ts');
    const context = await contextIn(values);
    // Only a project that is named: what a plan means does not depend on the folder it is read in.
    return { ...(await readSource(file)), context, contextKeys, resolve: (config ?? demo) !== undefined };
  },
  hides: ['plan', 'executors', 'warnings', 'seen'],
  async show({ goal, sentence, plan, executors }, { output: { columns } }) {
    const { goalText, toldNodes } = await import('../plan-text.ts');
    return [goalText(goal, columns), '', ...wrap(sentence, columns), '', ...toldNodes(plan, executors, columns)].join(
      '\n',
    );
  },
  notes: ({ seen }) => seen.map((warning) => `warning: ${visible(warning)}`),
  lines: ['nodes'],
});

export const diffCommand = defineCommand({
  name: 'diff',
  summary: 'compare two plans',
  description: 'compare two plans by what their nodes mean; exits 0 when they are one plan, 1 when they differ',
  examples: ['planwright diff plan.json edited.json'],
  arguments: { before: PLAN_FILE.file, after: PLAN_FILE.file },
  flags: { context: CONTEXT },
  operation: 'diff',
  async input({ before, after, context: values }, { output }) {
    if (before === '-' && after === '-')
      throw new OperationError('USAGE', 'standard input can be one of the two plans, not both');
    const { readSource } = await import('../reading/index.ts');
    const context = await contextIn(values);
    return { before: await readSource(before), after: await readSource(after), context, width: output.columns };
  },
  hides: ['text', 'warnings'],
  show: ({ same, after, text: changes }) => (same ? `one plan, digest ${after}` : changes),
  exit: ({ same }) => (same ? 'done' : 'badOutcome'),
});

export const schemaCommand = defineCommand({
  name: 'schema',
  description: 'print the JSON schema (draft-07) of plan documents, for editors',
  examples: ['planwright schema > plan.schema.json'],
  async run(_typed, { output, perform }) {
    const schema = await perform('schema', {});
    // It is the answer in every format, so that it can be written to a file as it stands.
    output.print(schema, () => JSON.stringify(schema, null, 2));
    return 'done';
  },
});
