/** `planwright status`: where a run stands, and what to type next. */

import { asTyped } from '../as-typed.ts';
import { ClientError, countWaiting, type AttemptView, type RunTimes } from '../../edge/client/index.ts';
import { folderStoreDir, withRun, type RunSession } from '../../edge/project/index.ts';
import {
  NODE_STATUSES,
  type NodeView,
  type OpenItem,
  type RunResult,
  type RunStatus,
} from '../../wire/contract/index.ts';
import type { Output } from '../terminal/index.ts';
import { clockText, counted, durationText } from '../../language/text/index.ts';
import { exitCode, exitOf as exitOfOutcome, type Ended } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import {
  commandFor,
  connectionFlags,
  missingText,
  nodeLines,
  outcomeOf,
  readWork,
  readWritten,
  shellWord,
  usageText,
  wordsOf,
  workBy,
  workLines,
  workText,
  type Work,
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
      | 'waits'
      | 'waitingFor'
      | 'planning'
      | 'loop'
      | 'children'
      | 'fallback'
      | 'usage'
    >,
    Partial<Pick<RunStatus, 'revision' | 'digest' | 'counts' | 'startedAt'>> {
  readonly outcome?: Ended;
}

/** What waits for a person, with the command that says it. */
type Open = OpenItem & { readonly command: string };

/** The server knows how a run ended; what became of its nodes its worker tells. */
const UNTOLD = 'note: no worker answers for this run, so that its nodes are not shown';

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
    const shown = all ? nodes : nodes.filter(isTold);
    const [times, written, told] = await Promise.all([
      session.run.times(),
      output.format === 'text' ? readWritten(session.run, shown) : new Map<string, string>(),
      readWork(session.run, shown, standing.revision, all ? undefined : 1),
    ]);
    const work = workBy(told);
    const from = standing.startedAt ?? times.startedAt;
    const when = { startedAt: from, ...(times.endedAt !== undefined && { endedAt: times.endedAt }) };
    const record = {
      ...{ ok: true, workflowId, ...standing, ...when, open },
      ...(all && { nodes: nodes.map((node) => ({ ...node, ...work(node.id) })) }),
    };
    output.print(record, () =>
      textOf({ workflowId, standing, when, open, nodes: shown, written, attempts: told.attempts, work, flags }, output),
    );
    if (standing.counts === undefined && standing.phase === 'closed') output.note(UNTOLD);
    if (all && told.begun.missing !== undefined) output.note(`note: ${missingText(told.begun.missing)}`);
    return exitOf(standing);
  });
}

/**
 * A run that the server has cut off does not know it, and would still ask for what nobody can give. How any run has ended the
 * server tells without a worker.
 */
async function standingOf({ run, listed }: RunSession): Promise<Standing> {
  const isOver = listed !== undefined && listed.status !== 'running';
  const isCutOff = listed?.status === 'terminated' || listed?.status === 'timed-out';
  const last = isOver ? await lastStatus(run) : await run.status();
  if (last !== undefined && !isCutOff) {
    const { next: _, ...standing } = last;
    return standing;
  }
  const end = await run.end();
  const said = end.how === 'completed' ? spoken(end.result) : { reason: end.message };
  const closed = { phase: 'closed', outcome: outcomeOf(end), ...said, waitingFor: 0 } as const;
  if (last === undefined) return closed;
  const { revision, digest, counts, usage, startedAt } = last;
  return { ...closed, revision, digest, counts, startedAt, ...(usage !== undefined && { usage }) };
}

/** What the end itself says of the run. */
function spoken({ digest, revision, by, comment }: RunResult): Partial<Standing> {
  return { digest, revision, ...(by !== undefined && { by }), ...(comment !== undefined && { comment }) };
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

interface Told {
  readonly workflowId: string;
  readonly standing: Standing;
  readonly when: RunTimes;
  readonly open: readonly Open[];
  /** Those that are shown. */
  readonly nodes: readonly NodeView[];
  /** The files that they have written, in words. */
  readonly written: ReadonlyMap<string, string>;
  readonly attempts: readonly AttemptView[];
  readonly work: (id: string) => Work;
  readonly flags: string;
}

function textOf(told: Told, { lineColumns: columns }: Output): string {
  const { workflowId, standing, when, open, nodes, written, attempts, work, flags } = told;
  const { phase, outcome, digest = '', revision, counts, paused } = standing;
  const lines = [
    `${workflowId}: ${phase}${outcome === undefined ? '' : `, ${outcome}`}${paused === true ? ', paused' : ''}`,
  ];
  lines.push(timeLine(when));
  if (standing.reason !== undefined) lines.push(standing.reason);
  if (standing.waits !== undefined) lines.push(standing.waits);
  if (digest !== '') lines.push(`plan ${digest}`, `revision ${revision}`);
  lines.push(...workLines(standing));
  if (standing.usage !== undefined) lines.push(usageText(standing.usage));
  if (counts !== undefined && counts.total > 0) {
    const queued = attempts.filter((one) => one.state === 'waits for a worker').length;
    const each = { ...counts, running: counts.running - queued, queued };
    const names = [...NODE_STATUSES.filter((one) => each[one] > 0), ...(queued > 0 ? (['queued'] as const) : [])];
    lines.push('', `${counted(counts.total, 'node')}: ${names.map((one) => `${each[one]} ${one}`).join(', ')}`);
  }
  if (nodes.length > 0) {
    const words = (node: NodeView) => workText(work(node.id), node);
    lines.push('', ...nodeLines(nodes, { columns }, { attempts, words, written: ({ id }) => written.get(id) }));
  }
  for (const item of open.slice(0, OPEN_SHOWN))
    lines.push('', `${wordsOf(item)}${whose(item)}`, `next: ${item.command}`);
  if (open.length > OPEN_SHOWN) lines.push('', `and ${open.length - OPEN_SHOWN} more: ${asTyped(`inbox${flags}`)}`);
  const next = nextCommand(workflowId, standing, flags);
  if (next !== undefined) lines.push('', `next: ${next}`);
  return lines.join('\n');
}

/** `started 14:03:07Z, took 10.6 s` */
function timeLine({ startedAt, endedAt }: RunTimes): string {
  const now = new Date();
  const since = Date.parse(endedAt ?? now.toISOString()) - Date.parse(startedAt);
  const started = `started ${clockText(startedAt, now.toISOString())}`;
  if (endedAt === undefined) return `${started}, ${durationText(since)} ago`;
  return `${started}, ended ${clockText(endedAt, startedAt)} after ${durationText(since)}`;
}

/** What is looked at first: what goes on, what waits, and what went wrong. */
function isTold({ status: now, failure }: NodeView): boolean {
  return now === 'running' || now === 'waiting' || failure !== undefined;
}

function whose({ roles, deadline }: OpenItem): string {
  const until = clockText(deadline, new Date().toISOString());
  return ` (${roles === undefined ? '' : `for ${roles.join(' or ')}, `}until ${until})`;
}

function nextCommand(workflowId: string, standing: Standing, flags: string): string | undefined {
  const { phase, outcome, paused } = standing;
  const id = shellWord(workflowId);
  if (paused === true) return asTyped(`control ${id} resume${flags}`);
  if (countWaiting(standing) > 0) return undefined;
  return phase === 'running' || outcome === 'done' ? asTyped(`result ${id}${flags}`) : undefined;
}
