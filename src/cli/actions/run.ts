/** `planwright run`: starts a run, shows it, lets a person decide, and waits for its end. */

import type { RunHandle, Started } from '../../client/index.ts';
import { storeDir } from '../../config/index.ts';
import { renderTree } from '../../plan/index.ts';
import type { OpenItem } from '../../run/index.ts';
import { visible } from '../../text/index.ts';
import type { GlobalOptions } from '../act.ts';
import { toCliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { askDecision } from './ask.ts';
import { digestLine } from './compile.ts';
import { connect, type Session } from './connect.ts';
import { decisionOf, tell } from './decide.ts';
import { followRun, type ProgressView } from './follow-run.ts';
import { openLines } from './open-lines.ts';
import { openProject, type ProjectOptions } from './open-project.ts';
import { invalidPlan, noteIssues } from './plan-issues.ts';
import { printEnd } from './print-end.ts';
import { progressView } from './progress-views.ts';
import { readDocument } from './read-plan.ts';
import { runOptionsOf, type RunFlags } from './run-options.ts';
import { openSigner, type KeyOptions } from './speaker.ts';
import { userName } from './values.ts';
import { startWait, timeLimit, type TimeLimit } from './wait.ts';
import { webUiLink } from './web-ui-link.ts';

export interface RunOptions extends ProjectOptions, KeyOptions, RunFlags {
  readonly taskQueue?: string;
  readonly workflowId?: string;
  readonly detach?: boolean;
  readonly approve?: boolean;
  readonly yes?: boolean;
  readonly by?: string;
  readonly role?: string;
  readonly timeout?: string;
}

/** Compiling the largest plan takes about a second. */
const COMPILED_MS = 10_000;
const COMPILE_PAUSE_MS = 50;

type Begun = Extract<Started, { ok: true }>;

export async function run(options: RunOptions & GlobalOptions, output: Output, file: string): Promise<number> {
  const limit = timeLimit(options);
  const runOptions = await runOptionsOf(options);
  if (wantsApproval(options)) userName(options.by);
  const signer = await openSigner(options);
  const document = await readDocument(file);
  const project = await openProject(options);
  const dir = options.store ?? project?.storeDir ?? storeDir(process.cwd());
  const session = await connect(options, {
    storeDir: dir,
    signer,
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

async function noteCard({ run: { workflowId }, plan }: Begun, session: Session, output: Output): Promise<void> {
  const link = await webUiLink(session, workflowId);
  output.note(`${output.paint('bold', visible(plan.goal))}\n\n${renderTree(plan).trimEnd()}\n`);
  output.note(digestLine(plan));
  output.note(`run ${workflowId}${link === undefined ? '' : `\n${link}`}`);
}

/** Said once the plan is compiled, so that a refusal is told here; without a worker it is kept until then. */
async function approve({ run: handle, plan }: Begun, options: RunOptions, output: Output): Promise<void> {
  const decision = decisionOf('approve', options, plan.digest);
  await compiled(handle);
  try {
    output.note(`approve ${plan.digest.slice(0, 8)} as ${decision.by}: ${await tell(handle, decision, output)}`);
  } catch (error) {
    // A plan that waits for nobody runs already; asking for its approval as well is no mistake.
    const status = toCliError(error).code === 'STALE' ? undefined : await handle.status().catch(() => undefined);
    if (status?.phase !== 'running' && status?.outcome !== 'done') throw error;
    output.note('the plan asks for no approval');
  }
}

async function compiled(handle: RunHandle): Promise<void> {
  const deadline = Date.now() + COMPILED_MS;
  while (Date.now() < deadline) {
    const status = await handle.status().catch(() => undefined);
    // Nobody answers: what is said now waits for the worker beside the plan.
    if (status === undefined || status.phase !== 'drafting') return;
    await new Promise((resolve) => setTimeout(resolve, COMPILE_PAUSE_MS));
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
  const view = progressView(plan, output);
  try {
    const end = await followRun(handle, {
      signal: wait.signal,
      view,
      onOpen: (item, over) => onOpen(item, over, begun, options, view, session, output),
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

async function onOpen(
  item: OpenItem,
  over: AbortSignal,
  { run: handle, plan }: Begun,
  options: RunOptions,
  view: ProgressView,
  { flags }: Session,
  output: Output,
): Promise<'left' | 'go-on'> {
  view.note(openLines(item, flags));
  if (!output.canAsk || item.send.name !== 'approve') return 'go-on';
  if (item.digest !== plan.digest && !(await showEdited(handle, item, view))) return 'go-on';
  view.hold(true);
  try {
    const chosen = await askDecision(QUESTION, 'approve', over);
    if (over.aborted) return 'go-on';
    if (chosen === 'leave') return 'left';
    output.note(await tell(handle, decisionOf(chosen, options, item.digest), output));
  } catch (error) {
    // Somebody else was faster; the run goes on as they decided.
    const known = toCliError(error);
    if (known.code !== 'STALE' && known.code !== 'RUN_CLOSED') throw error;
    output.note(known.message);
  } finally {
    view.hold(false);
  }
  return 'go-on';
}

const QUESTION = 'Run this plan?';

/** Nobody is asked about a plan that was not shown. */
async function showEdited(handle: RunHandle, { digest }: OpenItem, view: ProgressView): Promise<boolean> {
  const plan = await handle.plan();
  // Another edit has come meanwhile; it is open by itself.
  if (plan.digest !== digest) return false;
  view.note(`${plan.text.trimEnd()}\n\ndigest ${digest}`);
  return true;
}
