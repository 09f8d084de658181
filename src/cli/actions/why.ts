/** `planwright why`: why a node stands as it does: what it waits for, who let it run, what its attempts came to. */

import type { AttemptView } from '../../client/index.ts';
import { folderStoreDir, withRun, type RunSession } from '../../project/index.ts';
import type { NodeView, OpenItem, TraceEntry } from '../../contract/index.ts';
import type { Output } from '../../terminal/index.ts';
import { CliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import { attemptText, commandFor, connectionFlags, nodeLines, table } from '../showing/index.ts';

/** What is known of one node, and of the node that is the reason for how it stands. */
interface Reasons {
  readonly node: NodeView;
  /** The node without whose result it was skipped. */
  readonly because?: NodeView;
  readonly attempt?: AttemptView;
  readonly open: readonly OpenItem[];
  /** What was said of the plan, and what happened to this node. */
  readonly entries: readonly TraceEntry[];
}

export async function why(options: GlobalOptions, output: Output, workflowId: string, id: string): Promise<number> {
  const flags = connectionFlags(options);
  return withRun(workflowId, { storeDir: await folderStoreDir() }, async (session) => {
    const reasons = await reasonsFor(session, id);
    output.print({ ok: true, workflowId, ...reasons }, () => textOf(reasons, flags));
    return exitCode('done');
  });
}

async function reasonsFor({ run }: RunSession, id: string): Promise<Reasons> {
  const nodes = new Map<string, NodeView>();
  for await (const one of run.nodes()) nodes.set(one.id, one);
  const node = nodes.get(id);
  if (node === undefined) {
    throw new CliError('REFUSED', `run ${run.workflowId} has no ${id}; it has node_1 to node_${nodes.size}`);
  }
  const because = node.cause === undefined ? undefined : nodes.get(node.cause);
  const named = new Set([id, node.cause]);
  const open: OpenItem[] = [];
  for await (const item of run.questions()) if (isAbout(item, id)) open.push(item);
  const entries: TraceEntry[] = [];
  for await (const entry of run.trace()) if (concerns(entry, named)) entries.push(entry);
  const attempt = (await run.attempts()).find((one) => one.id === id);
  return { node, ...(because && { because }), ...(attempt && { attempt }), open, entries };
}

function isAbout({ nodes, nodeCount }: OpenItem, id: string): boolean {
  return nodes.includes(id) || nodes.length < nodeCount;
}

/** Decisions are about every node; the rest names its node first, or is said to it. */
function concerns({ what, text, said }: TraceEntry, named: ReadonlySet<string | undefined>): boolean {
  if (what === 'compiled' || what === 'decision' || what === 'closed') return true;
  const [first = ''] = text.split(' ');
  if (named.has(first) || named.has(String(said?.['node']))) return true;
  return what === 'asked' || what === 'answer' ? named.has(first.replace(/:$/, '').split('.')[1]) : false;
}

function textOf({ node, because, attempt, open, entries }: Reasons, flags: string): string {
  const lines = nodeLines([node, ...(because === undefined ? [] : [because])]);
  lines.push(`  carried out by ${node.executor}`);
  if (attempt !== undefined) lines.push(`  ${attemptText(attempt)}`);
  for (const item of open)
    lines.push(`  waits for ${item.roles?.join(' or ') ?? 'anybody'}: ${commandFor(item, flags)}`);
  if (entries.length > 0) lines.push('', table(entries.map(({ at, what, text }) => [at, what, text])));
  return lines.join('\n');
}
