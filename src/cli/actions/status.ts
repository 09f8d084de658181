/** `planwright status`. */

import { storeDir } from '../../config/index.ts';
import { NODE_STATUSES, type NodeView, type OpenItem, type RunStatus } from '../../contract/index.ts';
import type { GlobalOptions } from '../act.ts';
import { exitCode, OUTCOME_EXITS } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { withRun } from './connect.ts';
import { nodeLines } from './node-lines.ts';
import { commandFor, shellWord, wordsOf } from './open-lines.ts';
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
    const open: Open[] = [];
    if (answer.waitingFor > 0) {
      for await (const item of run.questions()) open.push({ ...item, command: commandFor(item, flags) });
    }
    const { next: _, ...told } = answer;
    const record = { ok: true, workflowId, ...told, open, ...(options.nodes === true && { nodes }) };
    output.print(record, () => textOf(workflowId, answer, open, nodes, options.nodes === true, flags));
    return exitOf(answer);
  });
}

/** What waits for a person, with the command that says it. */
type Open = OpenItem & { readonly command: string };

/** Of more the inbox tells. */
const OPEN_SHOWN = 10;

function exitOf({ outcome, waitingFor, paused }: RunStatus): number {
  if (outcome !== undefined) return exitCode(OUTCOME_EXITS[outcome]);
  return exitCode(waitingFor > 0 || paused === true ? 'waiting' : 'done');
}

function textOf(
  workflowId: string,
  answer: RunStatus,
  open: readonly Open[],
  nodes: readonly NodeView[],
  all: boolean,
  flags: string,
): string {
  const { phase, outcome, digest, revision, counts, paused } = answer;
  const shown = NODE_STATUSES.filter((one) => counts[one] > 0);
  const lines = [
    `${workflowId}: ${phase}${outcome === undefined ? '' : `, ${outcome}`}${paused === true ? ', paused' : ''}`,
  ];
  if (answer.reason !== undefined) lines.push(answer.reason);
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
  const told = all
    ? nodes
    : nodes.filter((node) => node.status === 'running' || node.status === 'waiting' || node.failure !== undefined);
  if (told.length > 0) lines.push('', ...nodeLines(told));
  for (const item of open.slice(0, OPEN_SHOWN))
    lines.push('', `${wordsOf(item)}${whose(item)}`, `next: ${item.command}`);
  if (open.length > OPEN_SHOWN) lines.push('', `and ${open.length - OPEN_SHOWN} more: planwright inbox${flags}`);
  const next = nextCommand(workflowId, answer, flags);
  if (next !== undefined) lines.push('', `next: ${next}`);
  return lines.join('\n');
}

function whose({ roles, deadline }: OpenItem): string {
  return ` (${roles === undefined ? '' : `for ${roles.join(' or ')}, `}until ${deadline})`;
}

function nextCommand(
  workflowId: string,
  { phase, outcome, waitingFor, paused }: RunStatus,
  flags: string,
): string | undefined {
  const id = shellWord(workflowId);
  if (paused === true) return `planwright control ${id} resume${flags}`;
  if (waitingFor > 0) return undefined;
  return phase === 'running' || outcome === 'done' ? `planwright result ${id}${flags}` : undefined;
}
