/** `planwright status`. */

import { storeDir } from '../../config/index.ts';
import { NODE_STATUSES, type NodeView, type RunStatus } from '../../run/index.ts';
import type { GlobalOptions } from '../act.ts';
import { exitCode, OUTCOME_EXITS } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { withRun } from './connect.ts';
import { nodeLines } from './node-lines.ts';
import { table } from './table.ts';

export interface StatusOptions {
  readonly nodes?: boolean;
}

export async function status(
  options: StatusOptions & GlobalOptions,
  output: Output,
  workflowId: string,
): Promise<number> {
  return withRun(options, { storeDir: storeDir(process.cwd()), workflowId }, async (run, { flags }) => {
    const answer = await run.status();
    const wanted = options.nodes === true || output.format === 'text';
    const nodes: NodeView[] = [];
    if (wanted) for await (const node of run.nodes()) nodes.push(node);
    const record = { ok: true, workflowId, ...answer, ...(options.nodes === true && { nodes }) };
    output.print(record, () => textOf(workflowId, answer, nodes, options.nodes === true, flags));
    return exitOf(answer);
  });
}

function exitOf({ phase, outcome }: RunStatus): number {
  if (outcome !== undefined) return exitCode(OUTCOME_EXITS[outcome]);
  return exitCode(phase === 'awaiting-approval' ? 'waiting' : 'done');
}

function textOf(
  workflowId: string,
  answer: RunStatus,
  nodes: readonly NodeView[],
  all: boolean,
  flags: string,
): string {
  const { phase, outcome, digest, revision, counts } = answer;
  const shown = NODE_STATUSES.filter((one) => counts[one] > 0);
  const lines = [`${workflowId}: ${phase}${outcome === undefined ? '' : `, ${outcome}`}`];
  if (digest !== '') lines.push(`plan ${digest}, revision ${revision}`);
  if (counts.total > 0) {
    lines.push(
      '',
      table([
        ['total', ...shown],
        [String(counts.total), ...shown.map((one) => String(counts[one]))],
      ]),
    );
  }
  const told = all ? nodes : nodes.filter((node) => node.status === 'running' || node.failure !== undefined);
  if (told.length > 0) lines.push('', ...nodeLines(told));
  const next = nextCommand(workflowId, answer, flags);
  if (next !== undefined) lines.push('', `next: ${next}`);
  return lines.join('\n');
}

function nextCommand(workflowId: string, { phase, outcome, digest }: RunStatus, flags: string): string | undefined {
  if (phase === 'awaiting-approval') return `planwright approve ${workflowId} --digest ${digest.slice(0, 8)}${flags}`;
  return phase === 'running' || outcome === 'done' ? `planwright result ${workflowId}${flags}` : undefined;
}
