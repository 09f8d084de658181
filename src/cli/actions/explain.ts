/** `planwright explain`: a plan in words, offline. */

import { rowLines, sumOf, type Outline } from '../../language/outline/index.ts';
import { executorOf, nodeSentence, outlineOf, planSentence, type CompiledPlan } from '../../language/plan/index.ts';
import type { Output } from '../terminal/index.ts';
import { visible, wrap } from '../../language/text/index.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import { compileFile } from '../reading/index.ts';
import { requireProject } from '../require-project.ts';

export interface ExplainOptions {
  readonly config?: string | undefined;
  readonly demo?: string | undefined;
}

export async function explain(options: ExplainOptions & GlobalOptions, output: Output, file: string): Promise<number> {
  const catalogue = await catalogueOf(options);
  const { plan, executors } = await compileFile(file, output, catalogue === undefined ? {} : { catalogue });
  const sentence = planSentence(plan);
  const nodes = Object.values(plan.nodesById).map((node) => ({
    id: node.id,
    ...(node.displayName !== undefined && { displayName: node.displayName }),
    sentence: nodeSentence(node, plan),
    ...executorOf(node, executors),
  }));
  const outline = outlineOf(plan, { ...(executors && { executors }) });
  const known = executors === undefined ? {} : { effects: countEffects(nodes) };
  output.print(
    { ok: true, goal: plan.goal, digest: plan.digest, sentence, nodes, ...known },
    () =>
      [
        visible(plan.goal),
        '',
        ...wrap(sentence, output.columns),
        '',
        ...linesOf(nodes, plan, outline, output.columns),
        ...(executors === undefined ? [] : ['', sumOf(outline.entries.values())]),
      ].join('\n'),
    () => nodes,
  );
  return exitCode('done');
}

/** Only a project that is named: what a plan means does not depend on the folder it is read in. */
async function catalogueOf({ config, demo }: ExplainOptions) {
  if (config === undefined && demo === undefined) return undefined;
  return (await requireProject({ config, demo }, 'explain')).registry;
}

interface Explained {
  readonly id: string;
  readonly sentence: string;
  readonly executor: string;
  readonly effect?: string;
  readonly resource?: string;
}

/** Each node with everything that its title leaves unsaid, and what carries it out. */
function linesOf(nodes: readonly Explained[], plan: CompiledPlan, outline: Outline, width: number): readonly string[] {
  return nodes.flatMap(({ id, executor, effect }) => {
    const entry = outline.entries.get(id)!;
    const isTold = effect === undefined || executor.startsWith('operator ') || namesExecutor(plan, id);
    const by = isTold ? [] : [`carried out by ${executor}`];
    const words = [...(entry.words === '' ? [] : [entry.words ?? '']), ...by].join('; ');
    return rowLines({ kind: 'node', depth: 0, prefix: '', entry: { ...entry, words } }, { width, words: Infinity });
  });
}

/** What the task itself names stands in its words already. */
function namesExecutor({ nodesById }: CompiledPlan, id: string): boolean {
  const node = nodesById[id];
  return node?.kind === 'task' && (node.capability !== undefined || node.agent !== undefined);
}

function countEffects(nodes: readonly Explained[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { effect } of nodes) if (effect !== undefined) counts[effect] = (counts[effect] ?? 0) + 1;
  return counts;
}
