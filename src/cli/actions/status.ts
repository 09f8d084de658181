/** `planwright status`: where a run stands, and what to type next. */

import { ClientError, countWaiting } from '../../client/index.ts';
import { folderStoreDir, withRun, type RunSession } from '../../project/index.ts';
import { NODE_STATUSES, type NodeView, type OpenItem, type RunStatus } from '../../contract/index.ts';
import type { Output } from '../../terminal/index.ts';
import { exitCode, exitOf as exitOfOutcome, type Ended } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import {
  commandFor,
  connectionFlags,
  nodeLines,
  outcomeOf,
  shellWord,
  table,
  usageText,
  wordsOf,
  workLines,
} from '../showing/index.ts';

export interface StatusOptions {
  readonly nodes?: true | undefined;
}

/** How a run stands, as far as it is known: nobody may be left to tell all about one that the server ended. */
interface Standing
  extends
    Pick<
      RunStatus,
      | 'phase'
      | 'reason'
      | 'by'
      | 'comment'
      | 'paused'
      | 'waitingFor'
      | 'planning'
      | 'loop'
      | 'children'
      | 'fallback'
      | 'usage'
    >,
    Partial<Pick<RunStatus, 'revision' | 'digest' | 'counts'>> {
  readonly outcome?: Ended;
}

/** What waits for a person, with the command that says it. */
type Open = OpenItem & { readonly command: string };

/** Open items that are shown; the inbox tells of more. */
const OPEN_SHOWN = 10;

export async function status(
  options: StatusOptions & GlobalOptions,
  output: Output,
  workflowId: string,
): Promise<number> {
  const all = options.nodes === true;
  const flags = connectionFlags(options);
  return withRun(workflowId, { storeDir: await folderStoreDir() }, async (session) => {
    const standing = await standingOf(session);
    const wanted = standing.counts !== undefined && (all || output.format === 'text');
    const nodes: NodeView[] = [];
    if (wanted) for await (const node of session.run.nodes()) nodes.push(node);
    const open: Open[] = [];
    if (countWaiting(standing) > 0) {
      for await (const item of session.run.questions()) open.push({ ...item, command: commandFor(item, flags) });
    }
    const record = { ok: true, workflowId, ...standing, open, ...(all && { nodes }) };
    output.print(record, () => textOf(workflowId, standing, open, nodes, all, flags, output));
    return exitOf(standing);
  });
}

/** A run that the server has ended does not know it, and would still ask for what nobody can give. */
async function standingOf({ run, listed }: RunSession): Promise<Standing> {
  if (listed?.status !== 'terminated' && listed?.status !== 'timed-out') {
    const { next: _, ...standing } = await run.status();
    return standing;
  }
  const end = await run.end();
  const reason = end.how === 'completed' ? {} : { reason: end.message };
  const closed = { phase: 'closed', outcome: outcomeOf(end), ...reason, waitingFor: 0 } as const;
  const last = await lastStatus(run);
  if (last === undefined) return closed;
  const { revision, digest, counts, usage } = last;
  return { ...closed, revision, digest, counts, ...(usage !== undefined && { usage }) };
}

async function lastStatus(run: RunSession['run']): Promise<RunStatus | undefined> {
  try {
    return await run.status();
  } catch (error) {
    if (error instanceof ClientError && error.code === 'no-worker') return undefined;
    throw error;
  }
}

function exitOf(standing: Standing): number {
  const { outcome, paused, by } = standing;
  if (outcome !== undefined) return exitOfOutcome({ outcome, ...(by !== undefined && { by }) });
  return exitCode(countWaiting(standing) > 0 || paused === true ? 'waiting' : 'done');
}

function textOf(
  workflowId: string,
  standing: Standing,
  open: readonly Open[],
  nodes: readonly NodeView[],
  all: boolean,
  flags: string,
  { columns }: Output,
): string {
  const { phase, outcome, digest = '', revision, counts, paused } = standing;
  const lines = [
    `${workflowId}: ${phase}${outcome === undefined ? '' : `, ${outcome}`}${paused === true ? ', paused' : ''}`,
  ];
  if (standing.reason !== undefined) lines.push(standing.reason);
  if (digest !== '') lines.push(`plan ${digest}, revision ${revision}`);
  lines.push(...workLines(standing));
  if (standing.usage !== undefined) lines.push(usageText(standing.usage));
  if (counts !== undefined && counts.total > 0) {
    const shown = NODE_STATUSES.filter((one) => counts[one] > 0);
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
  if (told.length > 0) lines.push('', ...nodeLines(told, { columns }));
  for (const item of open.slice(0, OPEN_SHOWN))
    lines.push('', `${wordsOf(item)}${whose(item)}`, `next: ${item.command}`);
  if (open.length > OPEN_SHOWN) lines.push('', `and ${open.length - OPEN_SHOWN} more: planwright inbox${flags}`);
  const next = nextCommand(workflowId, standing, flags);
  if (next !== undefined) lines.push('', `next: ${next}`);
  return lines.join('\n');
}

function whose({ roles, deadline }: OpenItem): string {
  return ` (${roles === undefined ? '' : `for ${roles.join(' or ')}, `}until ${deadline})`;
}

function nextCommand(workflowId: string, standing: Standing, flags: string): string | undefined {
  const { phase, outcome, paused } = standing;
  const id = shellWord(workflowId);
  if (paused === true) return `planwright control ${id} resume${flags}`;
  if (countWaiting(standing) > 0) return undefined;
  return phase === 'running' || outcome === 'done' ? `planwright result ${id}${flags}` : undefined;
}
