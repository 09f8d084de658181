/** `planwright run`: starts a run, shows it, lets a person decide, and waits for its end. */

import type { RunHandle, Started } from '../../client/index.ts';
import { storeDir } from '../../config/index.ts';
import { renderTree } from '../../plan/index.ts';
import type { RunStatus } from '../../run/index.ts';
import type { GlobalOptions } from '../act.ts';
import { CliError, toCliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { askDecision } from './ask.ts';
import { digestLine } from './compile.ts';
import { connect, type Session } from './connect.ts';
import { decisionOf, tell } from './decide.ts';
import { followRun } from './follow-run.ts';
import { openProject, type ProjectOptions } from './open-project.ts';
import { invalidPlan, noteIssues } from './plan-issues.ts';
import { progressView } from './progress-views.ts';
import { readDocument, readPlan } from './read-plan.ts';
import { printEnd } from './print-end.ts';
import { choiceOption, countOption, durationOption, userName } from './values.ts';
import { startWait, timeLimit, type TimeLimit } from './wait.ts';
import { webUiLink } from './web-ui-link.ts';

export interface RunOptions extends ProjectOptions {
  readonly taskQueue?: string;
  readonly workflowId?: string;
  readonly detach?: boolean;
  readonly approve?: boolean;
  readonly yes?: boolean;
  readonly by?: string;
  readonly approval?: string;
  readonly approvalDeadline?: string;
  readonly onFailure?: string;
  readonly concurrency?: string;
  readonly context?: string;
  readonly timeout?: string;
}

type Begun = Extract<Started, { ok: true }>;

export async function run(options: RunOptions & GlobalOptions, output: Output, file: string): Promise<number> {
  const limit = timeLimit(options);
  const runOptions = await runOptionsOf(options);
  if (wantsApproval(options)) userName(options.by);
  const document = await readDocument(file);
  const project = await openProject(options);
  const dir = options.store ?? project?.storeDir ?? storeDir(process.cwd());
  const session = await connect(options, {
    storeDir: dir,
    ...(options.taskQueue !== undefined && { taskQueue: options.taskQueue }),
    ...(project !== undefined && { project }),
  });
  try {
    const { workflowId } = options;
    const started = await session.plans.start(document, {
      options: runOptions,
      ...(workflowId !== undefined && { workflowId }),
    });
    if (!started.ok) {
      noteIssues(started.issues, output);
      throw invalidPlan(started.issues);
    }
    noteIssues(started.warnings, output);
    await noteCard(started, session, output);
    if (wantsApproval(options)) await approve(started, options, output);
    return options.detach === true
      ? detached(started, output)
      : await attached(started, { ...options, limit }, session, output);
  } finally {
    await session.close();
  }
}

function wantsApproval({ approve: asked, yes }: RunOptions): boolean {
  return asked === true || yes === true;
}

/** As the workflow takes them; it checks them again, but a mistake in a flag is told before a run exists. */
async function runOptionsOf(options: RunOptions): Promise<Readonly<Record<string, unknown>>> {
  const approval = choiceOption('--approval', options.approval, ['required', 'effects']);
  const onFailure = choiceOption('--on-failure', options.onFailure, ['fail', 'partial']);
  const approvalDeadline = durationOption('--approval-deadline', options.approvalDeadline);
  const concurrency = countOption('--concurrency', options.concurrency);
  return {
    ...(approval !== undefined && { approval }),
    ...(onFailure !== undefined && { onFailure }),
    ...(approvalDeadline !== undefined && { approvalDeadline }),
    ...(concurrency !== undefined && { concurrency }),
    ...(options.context !== undefined && { context: await readContext(options.context) }),
  };
}

/** External context by key; what is in it is told by the run's own check. */
async function readContext(file: string): Promise<unknown> {
  const bytes = await readPlan(file);
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    throw new CliError('INPUT_INVALID', `--context ${file} is no JSON: ${(error as Error).message}`);
  }
}

async function noteCard({ run: { workflowId }, plan }: Begun, session: Session, output: Output): Promise<void> {
  const link = await webUiLink(session, workflowId);
  output.note(`${output.paint('bold', plan.goal)}\n\n${renderTree(plan).trimEnd()}\n`);
  output.note(digestLine(plan));
  output.note(`run ${workflowId}${link === undefined ? '' : `\n${link}`}`);
}

/** The decision may come before the worker has compiled the plan: the run keeps it until then. */
async function approve({ run: handle, plan }: Begun, options: RunOptions, output: Output): Promise<void> {
  const decision = decisionOf('approve', options, plan.digest);
  try {
    output.note(`approve ${plan.digest.slice(0, 8)} as ${decision.by}: ${await tell(handle, decision)}`);
  } catch (error) {
    // A plan that waits for nobody runs already; asking for its approval as well is no mistake.
    const status = toCliError(error).code === 'STALE' ? undefined : await handle.status().catch(() => undefined);
    if (status?.phase !== 'running' && status?.outcome !== 'done') throw error;
    output.note('the plan asks for no approval');
  }
}

function detached({ run: { workflowId }, plan }: Begun, output: Output): number {
  output.print({ ok: true, workflowId, digest: plan.digest }, () => workflowId);
  return exitCode('done');
}

async function attached(
  begun: Begun,
  options: RunOptions & { readonly limit: TimeLimit },
  session: Session,
  output: Output,
): Promise<number> {
  const { run: handle, plan } = begun;
  const { workflowId } = handle;
  const back = `come back with \`planwright result ${workflowId}${session.flags}\``;
  const wait = startWait(options.limit, `the run ${workflowId} goes on; ${back}`);
  try {
    const end = await followRun(handle, {
      signal: wait.signal,
      view: progressView(plan, output),
      onWaiting: (status, over) => onWaiting(status, over, handle, options, session, output),
    });
    if (end === 'left') {
      output.note(`the run waits for a decision; ${back}`);
      return exitCode('waiting');
    }
    return await printEnd(handle, end, session, output);
  } finally {
    wait.end();
  }
}

async function onWaiting(
  { digest }: RunStatus,
  over: AbortSignal,
  handle: RunHandle,
  options: RunOptions,
  { flags }: Session,
  output: Output,
): Promise<'left' | 'go-on'> {
  output.note(`approve with: planwright approve ${handle.workflowId} --digest ${digest.slice(0, 8)}${flags}`);
  if (!output.canAsk) return 'go-on';
  const chosen = await askDecision('Run this plan?', over);
  if (over.aborted) return 'go-on';
  if (chosen === 'leave') return 'left';
  try {
    output.note(await tell(handle, decisionOf(chosen, options, digest)));
  } catch (error) {
    // Somebody else was faster; the run goes on as they decided.
    const known = toCliError(error);
    if (known.code !== 'STALE' && known.code !== 'RUN_CLOSED') throw error;
    output.note(known.message);
  }
  return 'go-on';
}
