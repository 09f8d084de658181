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
import { storeDirOf, withRun, type ProjectOptions } from '../../project/index.ts';
import type { Output } from '../../terminal/index.ts';
import { CliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import { compileFile } from '../reading/index.ts';
import { graphPolicy } from './graph-policy.ts';

export interface GraphOptions extends ProjectOptions {
  readonly run?: string | undefined;
  readonly policy?: true | undefined;
  readonly agent?: string | undefined;
  readonly format: 'mermaid' | 'tree' | 'markdown';
}

interface Drawn {
  readonly plan: CompiledPlan;
  readonly states?: Readonly<Record<string, NodeState>>;
}

export async function graph(options: GraphOptions & GlobalOptions, output: Output, file?: string): Promise<number> {
  if (options.policy === true) return graphPolicy(options, output, file);
  const { format, run } = options;
  if ((file === undefined) === (run === undefined)) {
    throw new CliError('USAGE', 'name a plan document or, with --run, a run; one of the two');
  }
  const drawn: Drawn = file === undefined ? await planOfRun(options, run ?? '') : await compileFile(file, output);
  const text = draw(drawn, format);
  if (format !== 'tree') noteLimits(text, output);
  const { plan, states } = drawn;
  output.print({ ok: true, digest: plan.digest, format, text, ...(states !== undefined && { states }) }, () => text);
  return exitCode('done');
}

function draw({ plan, states }: Drawn, format: GraphOptions['format']): string {
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
async function planOfRun(options: ProjectOptions, workflowId: string): Promise<Drawn> {
  return withRun(workflowId, { storeDir: await storeDirOf(options) }, async ({ run, store }) => {
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
