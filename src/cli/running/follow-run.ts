import { runPageOf } from '../../operations/web-ui.ts';
import { type ExitName, type OutputOf, ERROR_CODES, type ErrorCode } from '../../operations/index.ts';
import {
  given,
  OPTION_KEYS,
  type RunSettings,
  type NodeStatus,
  type RunView,
  type NodeView,
} from '../../protocol/index.ts';
import { asTyped } from '../typed-command.ts';
import type { Shell } from '../define-command.ts';
import type { RunTyped } from '../flags.ts';
import type { TypedDuration } from '../options.ts';
import { goalText, planText } from '../plan-text.ts';
import { speakerOf, starterOf } from '../reading/index.ts';
import { changeLine, createLive, nodeLines, noteIssues, type Change, type Live } from '../view/index.ts';
import { countsOf, noteLines, receiptText, usageText } from '../../operations/words/index.ts';
import { usageReport, type UsageReport } from '../usage-report.ts';
import { startWait, timeLimit } from '../wait.ts';
import { approveAtOnce, COMPILED_MS, compiled, createPlanBoard } from './approve-at-once.ts';
import { createPrompts, LEFT } from './prompts.ts';
import { withDev } from './with-dev.ts';
import type { PlanIssue } from '../../plan/index.ts';
import type { Output } from '../terminal/index.ts';
import { counted, cutCharacters, quoteForShell } from '../../plan/text/index.ts';

const FIRST_IDS = 10;
const FIRST_CHARACTERS = 2000;
const GOES_ON: ReadonlySet<ErrorCode> = new Set(['RUN_FAILED', 'RUN_TERMINATED', 'RUN_TIMED_OUT']);

/** Prints how the run ended. @param usage what its models cost */
async function reportEnd(workflowId: string, shell: Shell, usage?: UsageReport): Promise<ExitName> {
  const { output, flags, perform } = shell;
  const { error, ...ended } = await perform('ending', { workflowId });
  const report = { ...ended, ...(usage !== undefined && { usage }) };
  const receipt = receiptText(ended);
  if (error === undefined) {
    const text = output.format === 'text' ? await resultText(workflowId, shell) : '';
    output.print({ ok: true, ...report }, () => text);
    for (const line of [receipt, ...noteLines(ended)]) output.note(line);
    return 'done';
  }
  for (const line of [receipt, ...noteLines(ended)]) output.note(line);
  const { code, message, issues = [], nodes = ended.missing ?? [] } = error as Failure;
  noteIssues(issues, output);
  if (GOES_ON.has(code))
    output.note(`go on with what it has finished: ${asTyped(`run --reuse ${quoteForShell(workflowId)}${flags}`)}`);
  const lines = nodes.length > 0 ? nodeLines(nodes, { columns: output.lineColumns }) : [];
  output.print({ ok: false, ...report, error }, () => [message, ...lines].join('\n'));
  return ERROR_CODES[code].exit;
}

interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly issues?: readonly PlanIssue[];
  readonly nodes?: readonly NodeView[];
}

/** The run's result as text: the beginning on a terminal, all of it in a file or for a program. */
async function resultText(workflowId: string, { flags, output, perform }: Shell): Promise<string> {
  const found = await perform('result', { workflowId, format: 'ids' });
  const command = asTyped(`result ${quoteForShell(workflowId)}${flags}`);
  const text = 'text' in found ? found.text : JSON.stringify('value' in found ? found.value : found, null, 2);
  if (output.lineColumns === Infinity) return text;
  if (found.kind !== 'set') {
    return text.length <= FIRST_CHARACTERS ? text : `${cutCharacters(text, FIRST_CHARACTERS)}\nthe whole: ${command}`;
  }
  const ids = text.split('\n').filter((id) => id !== '');
  const more = ids.length - FIRST_IDS;
  const rest = more > 0 ? [`and ${more.toLocaleString('en-US')} more; all of them: ${command}`] : [];
  return [...ids.slice(0, FIRST_IDS), ...rest].join('\n');
}

const ELSEWHERE: ReadonlySet<Change['change']> = new Set(['open', 'over']);
const UNENDED: readonly NodeStatus[] = ['pending', 'running', 'waiting'];
const QUIET: readonly NodeStatus[] = ['succeeded', 'reused', 'skipped'];
/** Maximum number of lines for nodes that end together. A large plan may have hundreds of them. */
const AT_ONCE = 20;

type NodeChange = Extract<Change, { change: 'node' }>;

export function progressView(output: Output, onChange: (change: Change) => void = () => {}): Live {
  const live = createLive(output, report);
  const look = { ...output, columns: output.noteColumns };
  let [revision, ended] = [1, 0];
  return live;

  function report(changes: readonly Change[], view: RunView): void {
    const { status } = view;
    if (status !== undefined && status.revision > revision) [revision, ended] = [status.revision, 0];
    const nodes = changes.filter((one) => one.change === 'node').filter((one) => !UNENDED.includes(one.status));
    for (const change of changes) {
      onChange(change);
      if (change === nodes[0]) printNodes(nodes, view);
      if (change.change === 'node' || ELSEWHERE.has(change.change)) continue;
      if (change.change === 'phase' && status?.planning !== undefined) continue;
      live.note(changeLine(change, { ...look, status }));
    }
  }

  /** Prints ended nodes in the order of their ends. If there are many, names failures first and counts the others. */
  function printNodes(nodes: readonly NodeChange[], { status, compiled: plan }: RunView): void {
    const total = status?.counts.total ?? nodes.length;
    const rank = (node: NodeChange) => (QUIET.includes(node.status) ? 1 : 0);
    const named = nodes.length <= AT_ONCE ? nodes : nodes.toSorted((a, b) => rank(a) - rank(b)).slice(0, AT_ONCE);
    for (const node of named.toSorted((a, b) => (a.endedAt ?? '').localeCompare(b.endedAt ?? '')))
      live.note(changeLine(node, { ...look, status, plan, prefix: `[${(ended += 1)}/${total}] ` }));
    const others = nodes.length - named.length;
    ended += others;
    if (others > 0 && status !== undefined)
      live.note(`and ${counted(others, 'more node')} ended; ${countsOf(status.counts).join(', ')}`);
  }
}

export type StartedRun = Pick<OutputOf<'start'>, 'workflowId' | 'plan' | 'executors'>;

export async function followNewRun(typed: RunTyped, shell: Shell): Promise<ExitName> {
  return typed.dev === true ? withDev(typed, shell, (there) => startRun(typed, there)) : startRun(typed, shell);
}

async function startRun(typed: RunTyped, shell: Shell): Promise<ExitName> {
  const { workflowId, newRun, detach, approve, yes, document, goal, run: of } = typed;
  const { output, plans, perform } = shell;
  const limit = timeLimit(typed);
  const options: RunSettings = given(Object.fromEntries(OPTION_KEYS.map((key) => [key, (typed as RunSettings)[key]])));
  const isApproved = (approve ?? yes) === true;
  if (isApproved) speakerOf(typed);
  const starter = starterOf(typed);
  const started = await perform('start', { document, goal, of, workflowId, newRun, options, ...starter });
  const { plan, executors, warnings } = started;
  if (plan === undefined) {
    await noteCard(started, (goal ?? '').trim(), shell);
    const { mode } = (typed.mode === undefined ? await plans.project() : undefined) ?? {};
    if (mode !== undefined) output.note(`mode ${mode}, as the project has it`);
    return detach === true ? detached(started, shell) : attached(started, typed, limit, shell);
  }
  noteIssues(warnings, output);
  await noteCard(started, plan.goal, shell);
  const reuse = of ?? options.reuse;
  const { run } = await plans.run(started.workflowId);
  const isCompiled =
    reuse !== undefined && (await compiled(run, Date.now() + Math.min(limit.ms ?? Infinity, COMPILED_MS)));
  // If the run reuses results, shows the plan with them before it asks about the rest.
  const note = (text: string) => output.note(`\n${text}`);
  const isTold = isCompiled && (await createPlanBoard(note, shell).show(plan.digest, started.workflowId));
  // Without a config, this process does not know the plan's effects, so it waits for the plan as the worker compiled it.
  const isShown = executors !== undefined || !output.canAsk || isApproved || detach === true;
  if (isShown && !isTold) output.note(`\n${planText(plan, { ...(executors && { executors }) }, output)}`);
  const since = Date.now();
  const isOver = isApproved && (await approveAtOnce(plan.digest, run, typed, shell, limit.ms));
  const left = limit.ms === undefined ? limit : { ...limit, ms: Math.max(1, limit.ms - (Date.now() - since)) };
  if (isOver) return reportEnd(started.workflowId, shell);
  return detach === true ? detached(started, shell) : attached(started, typed, left, shell, isShown || isTold);
}

async function noteCard({ workflowId }: StartedRun, goal: string, { plans, output }: Shell): Promise<void> {
  const link = await runPageOf(await plans.session(), workflowId);
  for (const line of goalText(goal, output.columns).split('\n')) output.note(output.paint('bold', line));
  output.note(`run ${workflowId}${link === undefined ? '' : `\n${link}`}`);
}

function detached({ workflowId, plan }: StartedRun, { output }: Shell): ExitName {
  output.print({ ok: true, workflowId, ...(plan && { digest: plan.digest }) }, () => workflowId);
  return 'done';
}

async function attached(
  { workflowId, plan }: StartedRun,
  typed: RunTyped,
  limit: TypedDuration,
  shell: Shell,
  isShown = true,
): Promise<ExitName> {
  const { output, flags, plans } = shell;
  const back = `come back with \`${asTyped(`result ${quoteForShell(workflowId)}${flags}`)}\``;
  const session = await plans.run(workflowId);
  const wait = startWait(limit, `the run ${workflowId} goes on; ${back}`);
  const view = progressView(output, (change) => prompts.onChange(change));
  const board = createPlanBoard(view.note, shell, isShown ? plan : undefined);
  const prompts = createPrompts(workflowId, board, typed, view, shell);
  let usage: UsageReport | undefined;
  try {
    const signal = AbortSignal.any([wait.signal, prompts.over]);
    for await (const now of session.run.follow({ signal, contents: true })) {
      if (plan === undefined) prompts.showPlan(now.status);
      view.see(now);
      usage = usageReport(workflowId, now);
    }
  } catch (error) {
    if (error !== LEFT) throw error;
    output.note(`the run waits for a decision; ${back}`);
    return 'waiting';
  } finally {
    prompts.close();
    view.close();
    wait.end();
  }
  if (usage !== undefined) output.note(usageText(usage.total));
  return reportEnd(workflowId, shell, usage);
}
