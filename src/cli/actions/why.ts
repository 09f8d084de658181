/** `planwright why`: why a node stands as it does: what it waits for, who let it run, what its attempts came to. */

import type { AttemptView } from '../../edge/client/index.ts';
import { ClientError, nodeIdOf, roundOfStep, stepNode, type BegunView } from '../../edge/client/index.ts';
import { agentRunId } from '../../edge/client/follow/index.ts';
import { folderStoreDir, withRun, type RunSession } from '../../edge/project/index.ts';
import type { NodeView, OpenItem, RunStatus, TraceEntry } from '../../wire/contract/index.ts';
import { counted, oneLine, wrap } from '../../language/text/index.ts';
import type { Output } from '../terminal/index.ts';
import { asTyped } from '../as-typed.ts';
import { CliError } from '../cli-error.ts';
import { reasonsForStep, stepText } from './why-step.ts';
import { inputLine, timeLines } from './why-times.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import {
  approversIn,
  attemptText,
  commandFor,
  connectionFlags,
  entryTable,
  missingText,
  nodeLines,
  shellWord,
  usageText,
  workLines,
} from '../showing/index.ts';

const INDENT = '  ';

/** What is known of one node, and of the node that is the reason for how it stands. */
interface Reasons {
  readonly node: NodeView;
  /** The node without whose result it was skipped. */
  readonly because?: NodeView;
  /** The nodes whose results it takes, as they stand; at most 20. */
  readonly inputs: readonly NodeView[];
  readonly attempt?: AttemptView;
  /** How its last activity went that has ended, with who had it. */
  readonly begun?: BegunView;
  /** Why that may not be known of a long run. */
  readonly missing?: 'gone' | 'unread';
  readonly approvedBy: readonly string[];
  /** The run of the agent that carries the node out, where there is one. */
  readonly agentRun?: AgentRun;
  readonly open: readonly OpenItem[];
  /** What was said of the plan, and what happened to this node. */
  readonly entries: readonly TraceEntry[];
}

export async function why(options: GlobalOptions, output: Output, workflowId: string, id: string): Promise<number> {
  const flags = connectionFlags(options);
  return withRun(workflowId, { storeDir: await folderStoreDir() }, async (session) => {
    const round = roundOfStep(id);
    const loop = round === undefined ? undefined : (await session.run.status()).loop;
    const step = round === undefined || loop === undefined ? undefined : await reasonsForStep(session, round, loop);
    const node = step === undefined ? id : await openNode(session, id);
    const reasons = node === undefined ? undefined : await reasonsFor(session, node);
    output.print({ ok: true, workflowId, ...reasons, ...step }, () =>
      [
        ...(step === undefined ? [] : [stepText(step, { columns: output.lineColumns })]),
        ...(reasons === undefined
          ? []
          : [textOf(step === undefined ? reasons : { ...reasons, entries: [] }, flags, output)]),
      ].join('\n'),
    );
    return exitCode('done');
  });
}

/** The node that is open under the name of a step; undefined where the step has ended. */
async function openNode({ run }: RunSession, step: string): Promise<string | undefined> {
  const status = await run.status();
  const isOpen = status.loop?.step !== undefined && status.loop.round === roundOfStep(step);
  return isOpen && status.phase !== 'closed' ? stepNode(step, status) : undefined;
}

async function reasonsFor({ run }: RunSession, name: string): Promise<Reasons> {
  const nodes = new Map<string, NodeView>();
  for await (const one of run.nodes()) nodes.set(one.id, one);
  const id = nodeIdOf(name, [...nodes.values()]);
  const node = nodes.get(id);
  if (node === undefined) throw new CliError('REFUSED', `run ${run.workflowId} has no ${id}; it has no plan yet`);
  const because = node.cause === undefined ? undefined : nodes.get(node.cause);
  const named = new Set([id, node.cause]);
  const open: OpenItem[] = [];
  const ofAgent = (await run.status()).children?.find((one) => one.node === id)?.workflowId;
  for await (const item of run.questions()) {
    // What waits in an agent is about nodes of the agent's own run.
    const isHere = item.workflowId === run.workflowId;
    if (isHere ? isAbout(item, id) : item.workflowId === ofAgent) open.push(item);
  }
  const all: TraceEntry[] = [];
  for await (const entry of run.trace()) all.push(entry);
  const entries = all.filter((entry) => concerns(entry, named));
  const { revision } = await run.status();
  const isIt = (one: BegunView) => one.id === id && one.revision === revision;
  const { nodes: read, missing } = await run.begun({ until: (found) => found.some(isIt) });
  const begun = read.find(isIt);
  const inputs = (node.inputs ?? []).flatMap((input) => nodes.get(input) ?? []);
  const attempt = (await run.attempts()).find((one) => one.id === id);
  const agentRun = await agentRunFor(run, node);
  return {
    node,
    ...(because && { because }),
    inputs,
    ...(begun && { begun }),
    ...(begun === undefined && missing !== undefined && { missing }),
    approvedBy: approversIn(all),
    ...(attempt && { attempt }),
    ...(agentRun && { agentRun }),
    open,
    entries,
  };
}

interface AgentRun extends Pick<RunStatus, 'phase' | 'outcome' | 'loop' | 'waitingFor' | 'usage'> {
  readonly workflowId: string;
}

/** While it works the run names it; one that has ended is found by the id it began with, and is not known after an edit. */
async function agentRunFor(run: RunSession['run'], { id, executor }: NodeView): Promise<AgentRun | undefined> {
  if (!executor.startsWith('agent ')) return undefined;
  const { children = [], revision } = await run.status();
  const workflowId = children.find(({ node }) => node === id)?.workflowId ?? agentRunId(run.workflowId, revision, id);
  try {
    const { phase, outcome, loop, waitingFor, usage } = await run.child(workflowId).status();
    const more = { ...(outcome && { outcome }), ...(loop && { loop }), ...(usage && { usage }) };
    return { workflowId, phase, waitingFor, ...more };
  } catch (error) {
    if (error instanceof ClientError && error.code === 'no-run') return undefined;
    throw error;
  }
}

function agentLines({ workflowId, phase, outcome, usage, ...status }: AgentRun, flags: string): string[] {
  const id = shellWord(workflowId);
  return [
    `  its agent's run is ${workflowId}: ${outcome ?? phase}`,
    ...workLines(status).map((line) => `  ${line}`),
    ...(usage === undefined ? [] : [`  ${usageText(usage)}`]),
    `  look at it with: ${asTyped(`trace ${id}${flags}`)}`,
  ];
}

function isAbout({ nodes, nodeCount }: OpenItem, id: string): boolean {
  return nodes.includes(id) || nodes.length < nodeCount;
}

/** Decisions are about every node; the rest names its node first, or is said to it. */
function concerns({ what, text, said }: TraceEntry, named: ReadonlySet<string | undefined>): boolean {
  if (what === 'compiled' || what === 'decision' || what === 'closed') return true;
  const [first = ''] = text.split(' ');
  if (named.has(first) || (said !== undefined && 'node' in said && named.has(said.node))) return true;
  return what === 'asked' || what === 'answer' ? named.has(first.replace(/:$/, '').split('.')[1]) : false;
}

function textOf(reasons: Reasons, flags: string, { lineColumns: columns }: Output): string {
  const { node, because, inputs, attempt, agentRun, open, entries, approvedBy } = reasons;
  const lines = nodeLines([node, ...(because === undefined ? [] : [because])], { columns });
  lines.push(`  carried out by ${node.executor}`);
  if (approvedBy.length > 0) lines.push(`  the plan was approved by ${approvedBy.map((by) => oneLine(by)).join(', ')}`);
  for (const input of inputs) lines.push(`  takes ${inputLine(input)}`);
  const more = (node.inputCount ?? 0) - inputs.length;
  if (more > 0) lines.push(`  and takes ${counted(more, 'more result')}`);
  for (const line of timeLines(reasons)) lines.push(...indented(line, columns));
  if (reasons.missing !== undefined) lines.push(...indented(missingText(reasons.missing), columns));
  if (attempt !== undefined) lines.push(...indented(attemptText(attempt), columns));
  if (agentRun !== undefined) lines.push(...agentLines(agentRun, flags));
  for (const item of open)
    lines.push(`  waits for ${item.roles?.join(' or ') ?? 'anybody'}: ${commandFor(item, flags)}`);
  if (entries.length > 0) lines.push('', entryTable(entries, { columns }));
  return lines.join('\n');
}

function indented(line: string, columns: number): readonly string[] {
  return wrap(line, columns - INDENT.length).map((part) => `${INDENT}${part}`);
}
