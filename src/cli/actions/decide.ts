/** `planwright decide`, `approve` and `reject`: a decision names the plan that it decides. */

import { nodeIds, type RunHandle, type SayOptions } from '../../edge/client/index.ts';
import { folderStoreDir, storeDirOf, withRun, type ProjectOptions, type RunSession } from '../../edge/project/index.ts';
import {
  DECISION_KINDS,
  isNodeId,
  type Decision,
  type DecisionKind,
  type NodeView,
  type OpenItem,
  type PlanView,
} from '../../wire/contract/index.ts';
import { sumOf } from '../../language/outline/index.ts';
import type { Output } from '../terminal/index.ts';
import { asTyped } from '../as-typed.ts';
import { CliError, issuesOf, toCliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import { askDecision, decisionOf, openSigner, readDocument, yesOrNo, type SpeakerOptions } from '../reading/index.ts';
import { connectionFlags, noteIssues, openPlanText, shellWord } from '../showing/index.ts';
import { planChange } from './plan-change.ts';

export interface RejectOptions extends SpeakerOptions {
  readonly digest?: string | undefined;
}

export interface ApproveOptions extends RejectOptions {
  readonly nodes?: readonly string[] | undefined;
}

export interface DecideOptions extends ApproveOptions, ProjectOptions {
  readonly kind?: DecisionKind | undefined;
  readonly say?: string | undefined;
  readonly plan?: string | undefined;
  readonly feedback?: string | undefined;
  readonly revision?: number | undefined;
}

/** The option that only one kind of decision has. */
const OWN_OPTIONS = [
  { option: 'nodes', owner: 'approve-part' },
  { option: 'feedback', owner: 'revise' },
  { option: 'plan', owner: 'edit' },
] as const satisfies readonly { readonly option: keyof DecideOptions; readonly owner: DecisionKind }[];

type Typed = DecideOptions & GlobalOptions;

export function approve(options: ApproveOptions & GlobalOptions, output: Output, workflowId: string): Promise<number> {
  return decideAs(options.nodes === undefined ? 'approve' : 'approve-part', options, output, workflowId);
}

export function reject(options: RejectOptions & GlobalOptions, output: Output, workflowId: string): Promise<number> {
  return decideAs('reject', options, output, workflowId);
}

export async function decide(options: Typed, output: Output, workflowId: string): Promise<number> {
  return decideAs(kindOf(options), options, output, workflowId);
}

/** Tells the run, and returns what it answers. What is wrong with the plan of an edit is told on stderr. */
export async function tell(run: RunHandle, decision: Decision, output: Output, more: SayOptions = {}): Promise<string> {
  try {
    return (await run.decide(decision, more)).reply;
  } catch (error) {
    const known = toCliError(error);
    noteIssues(issuesOf(known), output);
    throw known;
  }
}

async function decideAs(kind: DecisionKind, options: Typed, output: Output, workflowId: string): Promise<number> {
  checkOptions(kind, options);
  const plan = options.plan === undefined ? undefined : await readDocument(options.plan);
  const signer = await openSigner(options);
  // Only plans go through the store; to read the config for nothing else would be slow, and it may be broken.
  const isOfPlan = kind === 'edit' || kind === 'revise';
  const storeDir = isOfPlan ? await storeDirOf(options) : await folderStoreDir();
  const check = (nodes: DecideOptions['nodes'], digest: string) =>
    decisionOf(kind, { ...options, nodes }, digest, plan);
  // What is wrong beside the names of nodes is told without a server.
  if (options.digest !== undefined)
    check(
      options.nodes?.map((name) => (isNodeId(name) ? name : 'node_1')),
      options.digest,
    );
  return withRun(workflowId, { storeDir, signer }, async (session) => {
    const nodes = options.nodes && (await nodeIds(options.nodes, session.run));
    const asked = { ...options, nodes };
    const decision =
      options.digest === undefined ? await askFor(kind, asked, plan, output, session) : check(nodes, options.digest);
    if (decision === undefined) return exitCode('waiting');
    const before = isOfPlan ? await planBefore(session) : undefined;
    if (kind === 'revise')
      output.note('the planner writes another plan, which may take minutes; the run hears of it either way');
    const reply = await tell(session.run, decision, output);
    const change = before === undefined ? undefined : await planChange(session, before);
    const { plan: _, ...said } = decision;
    if (typeof change === 'string') output.note(`${output.paint('yellow', 'note')}: ${change}`);
    const changed = typeof change === 'object' ? change : undefined;
    const more = changed === undefined ? {} : { opened: changed.digest, diff: changed.diff };
    output.print({ ok: true, workflowId, ...said, reply, ...more }, () =>
      [`${workflowId}: ${reply}`, ...(changed === undefined ? [] : [changed.text])].join('\n'),
    );
    // It takes the config, which may take a second: the reply is shown by then.
    if (kind.startsWith('approve')) await (await import('./note-missing.ts')).noteMissing(session, output);
    return exitCode('done');
  });
}

/** Without a worker nobody tells it, and the server keeps the decision all the same. */
function planBefore({ run }: RunSession): Promise<PlanView | undefined> {
  return run.plan().catch(() => undefined);
}

/** Words of a chat stand for approve or reject. */
function kindOf({ kind, say }: DecideOptions): DecisionKind {
  if (kind !== undefined && say === undefined) return kind;
  if (say !== undefined && kind === undefined) return yesOrNo(say) ? 'approve' : 'reject';
  throw new CliError('USAGE', `give --kind, which is ${DECISION_KINDS.join(', ')}, or --say with yes or no in words`);
}

function checkOptions(kind: DecisionKind, options: DecideOptions): void {
  for (const { option, owner } of OWN_OPTIONS) {
    const given = options[option] !== undefined;
    if (given === (kind === owner)) continue;
    const message = given ? `--${option} goes with --kind ${owner}, not with ${kind}` : `${kind} needs --${option}`;
    throw new CliError('USAGE', message);
  }
}

/** Without a digest a person must have seen the plan; a script must say which one it means. */
async function askFor(
  kind: DecisionKind,
  options: Typed,
  plan: unknown,
  output: Output,
  { run, store }: RunSession,
): Promise<Decision | undefined> {
  const view = await run.plan();
  const { digest } = view;
  if (digest === '') throw new CliError('REFUSED', `run ${run.workflowId} has no plan yet; try again in a moment`);
  if (!output.canAsk) {
    const flags = connectionFlags(options);
    const id = shellWord(run.workflowId);
    const command = asTyped(`${typedAs(kind, id, options)} --digest ${digest.slice(0, 8)}${flags}`);
    const message = `a decision must name the plan it decides. The open one is ${digest}; look at it with \`${asTyped(`status ${id}${flags}`)}\`, then: ${command}`;
    throw new CliError('USAGE', message, { digest, command });
  }
  const nodes: NodeView[] = [];
  for await (const node of run.nodes()) nodes.push(node);
  const asked = options.nodes === undefined ? nodes : nodes.filter(({ id }) => options.nodes?.includes(id));
  const open = await approvalOf(run);
  const warning = open?.warning === undefined ? '' : `${open.warning}\n`;
  output.note(`${await openPlanText(store, view, nodes, output)}\n\n${warning}${sumOf(asked)}`);
  const roles = options.role === undefined ? open?.roles : undefined;
  const chosen = await askDecision(`${QUESTIONS[kind]} this plan?`, { kind, roles });
  if (chosen === 'leave') return undefined;
  return decisionOf(chosen.kind, { ...options, ...chosen }, digest, plan);
}

/** Undefined where no approval is waited for. */
async function approvalOf(run: RunHandle): Promise<OpenItem | undefined> {
  for await (const item of run.questions()) if (item.kind === 'approval') return item;
  return undefined;
}

const QUESTIONS = {
  approve: 'Approve',
  'approve-part': 'Approve this part of',
  reject: 'Reject',
  revise: 'Ask for another plan than',
  edit: 'Replace',
  withdraw: 'Take back your approval of',
} as const satisfies Record<DecisionKind, string>;

function typedAs(kind: DecisionKind, id: string, { nodes, plan, feedback }: DecideOptions): string {
  if (kind === 'approve' || kind === 'reject') return `${kind} ${id}`;
  const own = Object.entries({ nodes: nodes?.join(','), plan, feedback }).flatMap(([name, value]) =>
    value === undefined ? [] : [` --${name} ${shellWord(value)}`],
  );
  return `decide ${id} --kind ${kind}${own.join('')}`;
}
