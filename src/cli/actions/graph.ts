/** `planwright graph`: a plan as a picture, of a document offline, of a run with how its nodes stand. */

import {
  decodePlan,
  MERMAID_LIMITS,
  nodeSummary,
  renderMarkdown,
  renderMermaid,
  renderTree,
  type CompiledPlan,
  type NodeState,
} from '../../plan/index.ts';
import type { GlobalOptions } from '../act.ts';
import { CliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { compileFile } from './compiled-file.ts';
import type { ProjectOptions } from './open-project.ts';
import { choiceOption } from './values.ts';

export interface GraphOptions extends ProjectOptions {
  readonly run?: string;
  readonly format: string;
}

interface Drawn {
  readonly plan: CompiledPlan;
  readonly states?: Readonly<Record<string, NodeState>>;
}

const GRAPH_FORMATS = ['mermaid', 'tree', 'markdown'] as const;

export async function graph(options: GraphOptions & GlobalOptions, output: Output, file?: string): Promise<number> {
  const format = choiceOption('--format', options.format, GRAPH_FORMATS) ?? 'mermaid';
  if ((file === undefined) === (options.run === undefined)) {
    throw new CliError('USAGE', 'name a plan document or, with --run, a run; one of the two');
  }
  const drawn: Drawn =
    file === undefined ? await planOfRun(options, options.run ?? '') : await compileFile(file, output);
  const text = draw(drawn, format);
  if (format !== 'tree') noteLimits(text, output);
  const { plan, states } = drawn;
  output.print({ ok: true, digest: plan.digest, format, text, ...(states !== undefined && { states }) }, () => text);
  return exitCode('done');
}

function draw({ plan, states }: Drawn, format: (typeof GRAPH_FORMATS)[number]): string {
  const known = states === undefined ? {} : { states };
  if (format === 'mermaid') return renderMermaid(plan, known);
  if (format === 'markdown') return renderMarkdown(plan, { ...known, mermaid: true });
  if (states === undefined) return renderTree(plan);
  return renderTree(plan, { text: (node) => `${states[node.id] ?? 'pending'}: ${nodeSummary(node)}` });
}

function noteLimits(text: string, output: Output): void {
  const arrows = text.match(/ -->/g)?.length ?? 0;
  if (text.length <= MERMAID_LIMITS.characters && arrows <= MERMAID_LIMITS.edges) return;
  output.note(
    `note: the diagram has ${text.length} characters and ${arrows} arrows; Mermaid draws ` +
      `${MERMAID_LIMITS.characters} and ${MERMAID_LIMITS.edges} unless its maxTextSize and maxEdges are raised`,
  );
}

/** The run says which plan it runs; the plan itself is in the result store that client and worker share. */
async function planOfRun(options: GraphOptions & GlobalOptions, workflowId: string): Promise<Drawn> {
  const { withRun } = await import('./connect.ts');
  const { openStoreDir } = await import('./open-project.ts');
  const storeDir = await openStoreDir(options);
  return withRun(options, { storeDir, workflowId }, async (run, { store }) => {
    const { ref, revision } = await run.plan();
    if (ref === '') throw new CliError('REFUSED', `run ${workflowId} has no plan yet; try again in a moment`);
    const decoded = decodePlan(await store.get(ref));
    if (!decoded.ok) {
      throw new CliError(
        'STORE_FAULT',
        `revision ${revision} of run ${workflowId} in ${store.place}: ${decoded.message}`,
      );
    }
    const states: Record<string, NodeState> = {};
    for await (const { id, status } of run.nodes()) states[id] = status;
    return { plan: decoded.plan, states };
  });
}
