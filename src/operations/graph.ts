/** Pictures: of the plan of a document, of the plan of a run with how its nodes stand, and of a policy. */

import { outlineLines, table } from '../plan/lines/index.ts';
import { MERMAID_LIMITS, outlineOf, renderMarkdown, renderMermaid } from '../plan/index.ts';
import { given } from '../protocol/index.ts';
import { compileSource, FROM_SOURCE, source } from './compile.ts';
import { OperationError } from './operation-error.ts';
import { flagField, IN_PROJECT, operation, textField } from './operation.ts';
import { needProject, type Plans } from './plans.ts';
import { gaveOf } from './words/index.ts';

/**
 * `--format` is `mermaid`, `tree` or `markdown`, a page with the sentence, the tree, a table of the nodes and the
 * diagram. With `--run` the plan is read from the result store. JSON:
 * `{"ok":true,"digest","format","text","states"?}`.
 *
 * `--policy` draws how the loops of the project decide, `--agent NAME` how that agent does (docs/policies.md); with
 * `--format tree` a table of the stages. JSON:
 * `{"ok":true,"policy","stages":[{"name","kind","about"?,"writes"}],"exits":[{"from","to","label"?}],"text"}`.
 */
export const graph = operation({
  command: {
    words: 'graph [file]',
    hides: ['warnings', 'limits'],
    shows: { text: 'text' },
    example: 'graph plan.json --format markdown',
    place: IN_PROJECT,
    from: { ...FROM_SOURCE, width: 'columns' },
  },
  does: 'Draws the plan of a document, which needs no server, of a run, with how its nodes stand, or a policy.',
  input: (z) =>
    z.object({
      ...source(z),
      document: source(z).document.optional(),
      run: textField(z, 'the plan of this run instead of a document'),
      policy: flagField(z, 'the policy of the project instead of a plan: every stage, every exit'),
      agent: textField(z, 'with --policy: that of this agent'),
      format: z.enum(['mermaid', 'tree', 'markdown']).default('mermaid').describe('mermaid, tree or markdown'),
      width: z.int().positive().default(80).describe('columns of a tree'),
    }),
  async run(plans, { run: workflowId, policy: isPolicy, agent, format: form, width, ...document }) {
    const isOfRun = workflowId !== undefined;
    const isOfDocument = document.document !== undefined;
    if (isPolicy === true) {
      if (!isOfRun && !isOfDocument) return drawPolicy(plans, agent, form);
      throw new OperationError('USAGE', '--policy draws the policy of a project; leave the document and --run out');
    }
    if (agent !== undefined) throw new OperationError('USAGE', '--agent goes with --policy');
    if (isOfDocument === isOfRun)
      throw new OperationError('USAGE', 'name a plan document or, with --run, a run; one of the two');
    const compiled = isOfDocument ? await compileSource(document) : undefined;
    const { plan, nodes } = compiled ? { ...compiled, nodes: undefined } : await planOfRun(plans, workflowId!);
    const known = nodes && { states: Object.fromEntries(nodes.map(({ id, status }) => [id, status])) };
    const { digest } = plan;
    const text = draw();
    const limits = form === 'tree' ? undefined : limitsOf(text);
    const beside = { warnings: compiled?.warnings ?? [], ...(limits !== undefined && { limits }) };
    return { digest, format: form, text, ...known, ...beside };

    function draw(): string {
      if (form === 'mermaid') return renderMermaid(plan, known);
      if (form === 'markdown') return renderMarkdown(plan, { ...known, mermaid: true });
      const facts = new Map(nodes?.map((node) => [node.id, given({ standing: node.status, gave: gaveOf(node) })]));
      const outline = outlineOf(plan, { words: nodes === undefined ? 'rest' : 'none', more: (id) => facts.get(id) });
      return outlineLines(outline, { width, named: true }).join('\n');
    }
  },
});

/** Undefined where Mermaid draws it as it is set up by default. */
function limitsOf(text: string): string | undefined {
  const arrows = text.match(/ -->/g)?.length ?? 0;
  if (text.length <= MERMAID_LIMITS.characters && arrows <= MERMAID_LIMITS.edges) return undefined;
  return (
    `the diagram has ${text.length} characters and ${arrows} arrows; Mermaid draws ` +
    `${MERMAID_LIMITS.characters} and ${MERMAID_LIMITS.edges} unless its maxTextSize and maxEdges are raised`
  );
}

/** The run says which plan it runs; the plan itself is in the result store that client and worker share. */
async function planOfRun(plans: Plans, workflowId: string) {
  const { readPlan } = await import('./shown.ts');
  const { run, store } = await plans.run(workflowId);
  const { plan: view, nodes } = await run.view(['plan', 'nodes']);
  if (view.ref === '') throw new OperationError('REFUSED', `run ${workflowId} has no plan yet; try again in a moment`);
  return { plan: await readPlan(store, view), nodes };
}

/** How the loops of a project decide, or those of one of its agents. */
async function drawPolicy(plans: Plans, agent: string | undefined, form: 'mermaid' | 'tree' | 'markdown') {
  const { exitsOf, policyPicture } = await import('../capabilities/policy/index.ts');
  const found = await policyOf(plans, agent);
  const stages = found.stages.map(({ name, kind, about, writes = [] }) => ({
    name,
    kind,
    ...given({ about }),
    writes,
  }));
  const picture = policyPicture(found);
  const text = {
    tree: () => table(stages.map(({ name, kind, about = '', writes }) => [name, kind, writes.join(', '), about])),
    markdown: () => `# Policy ${found.name}\n\n\`\`\`mermaid\n${picture}\`\`\`\n`,
    mermaid: () => picture,
  };
  return { policy: found.name, stages, exits: exitsOf(found), text: text[form]() };
}

async function policyOf(plans: Plans, agent: string | undefined) {
  const { policy: own, registry } = await needProject(plans, 'graph --policy');
  const { modelPolicy } = await import('../planner/index.ts');
  if (agent === undefined) return own ?? modelPolicy;
  const found = registry.agent(agent);
  if (found !== undefined) return found.policy ?? modelPolicy;
  const known = registry.agents.length === 0 ? 'it has none' : `it has ${registry.agents.join(', ')}`;
  throw new OperationError('USAGE', `--agent: the project has no agent ${agent}; ${known}`);
}
