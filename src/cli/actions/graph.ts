/** `planwright graph`: a plan as a picture, of a document offline, of a run with how its nodes stand. */

import {
  MERMAID_LIMITS,
  outlineOf,
  renderMarkdown,
  renderMermaid,
  type CompiledPlan,
  type NodeState,
} from '../../language/plan/index.ts';
import { outlineLines } from '../../language/outline/index.ts';
import { storeDirOf, withRun, type ProjectOptions } from '../../edge/project/index.ts';
import type { Output } from '../terminal/index.ts';
import { CliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import { compileFile } from '../reading/index.ts';
import { readPlan } from '../showing/index.ts';
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
  const text = draw(drawn, format, output.columns);
  if (format !== 'tree') noteLimits(text, output);
  const { plan, states } = drawn;
  output.print({ ok: true, digest: plan.digest, format, text, ...(states !== undefined && { states }) }, () => text);
  return exitCode('done');
}

function draw({ plan, states }: Drawn, format: GraphOptions['format'], width: number): string {
  const known = states === undefined ? {} : { states };
  if (format === 'mermaid') return renderMermaid(plan, known);
  if (format === 'markdown') return renderMarkdown(plan, { ...known, mermaid: true });
  const outline = outlineOf(plan, {
    words: states === undefined ? 'rest' : 'none',
    more: (id) => (states === undefined ? undefined : { standing: states[id] ?? 'pending' }),
  });
  return outlineLines(outline, { width, named: true }).join('\n');
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
    const view = await run.plan();
    if (view.ref === '') throw new CliError('REFUSED', `run ${workflowId} has no plan yet; try again in a moment`);
    const plan = await readPlan(store, view);
    const states: Record<string, NodeState> = {};
    for await (const { id, status } of run.nodes()) states[id] = status;
    return { plan, states };
  });
}
