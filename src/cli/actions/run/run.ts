/** `planwright run`: starts a run, shows it, lets a person decide, and waits for its end. */

import type { RunEnd, RunHandle } from '../../../edge/client/index.ts';
import { runPageOf } from '../../../edge/dev-server/index.ts';
import { followToEnd } from '../../../edge/client/follow/index.ts';
import {
  connect,
  folderStoreDir,
  openProject,
  type Project,
  type ProjectOptions,
  type Session,
} from '../../../edge/project/index.ts';
import type { PlanDocument } from '../../../language/plan/index.ts';
import type { Output } from '../../terminal/index.ts';
import { asTyped } from '../../as-typed.ts';
import { CliError, invalidPlan } from '../../cli-error.ts';
import { exitCode } from '../../exit-codes.ts';
import type { GlobalOptions } from '../../global-options.ts';
import type { Duration } from '../../options/index.ts';
import {
  openSigner,
  readDocument,
  runOptionsOf,
  userName,
  type KeyOptions,
  type RunFlags,
} from '../../reading/index.ts';
import {
  connectionFlags,
  noteIssues,
  planText,
  printEnd,
  progressView,
  showViews,
  usageReport,
  usageText,
  type UsageReport,
} from '../../showing/index.ts';
import { startWait, timeLimit } from '../../wait.ts';
import { approveAtOnce, type Begun } from './approve-at-once.ts';
import { showReuse } from './show-reuse.ts';
import { createPlanBoard } from './plan-board.ts';
import { createPrompts, LEFT } from './prompts.ts';
import { withDev } from './with-dev.ts';
import { visible, wrap } from '../../../language/text/index.ts';

export interface RunOptions extends ProjectOptions, KeyOptions, RunFlags {
  /** In place of a plan. */
  readonly goal?: string | undefined;
  /** Refused, with what to do: a run asks the model of its worker. */
  readonly model?: string | undefined;
  readonly taskQueue?: string | undefined;
  readonly workflowId?: string | undefined;
  readonly detach?: true | undefined;
  /** With a server and a worker of its own. */
  readonly dev?: true | undefined;
  readonly approve?: true | undefined;
  readonly yes?: true | undefined;
  readonly by?: string | undefined;
  readonly role?: string | undefined;
  readonly timeout?: Duration | undefined;
}

/** What differs from the run that is run again, and from its options. */
export type RerunOptions = Pick<
  RunOptions,
  | keyof ProjectOptions
  | keyof KeyOptions
  | ('taskQueue' | 'workflowId' | 'fresh' | 'detach' | 'dev' | 'approve' | 'yes' | 'by' | 'role' | 'timeout')
>;

interface Typed extends RunOptions, GlobalOptions {
  /** In place of a file: the closed run whose plan it is. */
  readonly rerun?: string;
}

export function rerun(options: RerunOptions & GlobalOptions, output: Output, workflowId: string): Promise<number> {
  return carryOut({ ...options, rerun: workflowId }, output);
}

export async function run(options: RunOptions & GlobalOptions, output: Output, file?: string): Promise<number> {
  checkSource(options, file);
  return carryOut(options, output, file);
}

async function carryOut(options: Typed, output: Output, file?: string): Promise<number> {
  const start = (more: Typed, project?: Project) => startRun(more, output, file, project);
  return options.dev === true ? withDev(options, output, start) : start(options);
}

async function startRun(options: Typed, output: Output, file?: string, given?: Project): Promise<number> {
  const { taskQueue, workflowId, detach, approve, yes } = options;
  const limit = timeLimit(options);
  const runOptions = await runOptionsOf(options);
  const isApproved = approve === true || yes === true;
  if (isApproved) userName(options.by);
  const signer = await openSigner(options);
  const document = file === undefined ? undefined : await readDocument(file);
  const project = given ?? (await openProject(options));
  const storeDir = options.store ?? project?.storeDir ?? (await folderStoreDir());
  const session = await connect({ storeDir, signer, taskQueue, project });
  const startOptions = { options: runOptions, ...(workflowId !== undefined && { workflowId }) };
  try {
    if (options.goal !== undefined) {
      const started = { run: await session.plans.startGoal(options.goal, startOptions) };
      await noteCard(started.run, options.goal.trim(), session, output);
      return detach === true ? detached(started, output) : await attached(started, options, limit, session, output);
    }
    const started =
      options.rerun === undefined
        ? await session.plans.start(document as PlanDocument, startOptions)
        : await session.plans.rerun(options.rerun, startOptions);
    if (!started.ok) {
      noteIssues(started.issues, output);
      throw invalidPlan(started.issues);
    }
    noteIssues(started.warnings, output);
    await noteCard(started.run, started.plan.goal, session, output);
    const reuse = options.rerun ?? runOptions.reuse;
    const isTold = reuse !== undefined && (await showReuse(started, session, output, limit.ms));
    // Without a config nobody here knows the effects: whoever is asked is shown the plan as its worker compiled it.
    const isShown = started.executors !== undefined || !output.canAsk || isApproved || detach === true;
    if (isShown && !isTold) output.note(`\n${planText(started.plan, started, output)}`);
    const since = Date.now();
    const refused = isApproved ? await approveAtOnce(started, options, output, limit.ms) : undefined;
    const left = limit.ms === undefined ? limit : { ...limit, ms: Math.max(1, limit.ms - (Date.now() - since)) };
    if (refused !== undefined) return await tellEnd(started, refused, options, session, output);
    const begun = { ...started, isShown: isShown || isTold };
    return detach === true ? detached(started, output) : await attached(begun, options, left, session, output);
  } finally {
    await session.close();
  }
}

/** @throws CliError USAGE */
function checkSource({ goal, model, approve, yes }: Typed, file: string | undefined): void {
  if (model !== undefined) throw new CliError('USAGE', modelOfWorker());
  if ((goal === undefined) === (file === undefined)) {
    throw new CliError(
      'USAGE',
      'give a plan document (a file, or - for standard input) or --goal GOAL, one of the two',
    );
  }
  if (goal !== undefined && (approve === true || yes === true)) throw new CliError('USAGE', NOT_IN_ADVANCE);
}

const modelOfWorker = () =>
  '--model: a run asks the model of its worker; set "model" in the worker\'s planwright.config.ts. ' +
  `\`${asTyped('plan GOAL --model URL')}\` makes a plan without a run, and \`${asTyped('run FILE')}\` runs it`;
const NOT_IN_ADVANCE =
  '--approve approves the plan that is given, and with --goal there is none yet: look at the plan when it is there, ' +
  'or let what only reads run without a person, with --approval effects';

async function noteCard({ workflowId }: RunHandle, goal: string, session: Session, output: Output): Promise<void> {
  const link = await runPageOf(session, workflowId);
  for (const line of wrap(visible(goal), output.columns)) output.note(output.paint('bold', line));
  output.note(`run ${workflowId}${link === undefined ? '' : `\n${link}`}`);
}

function detached({ run: { workflowId }, plan }: Begun, output: Output): number {
  const digest = plan === undefined ? {} : { digest: plan.digest };
  output.print({ ok: true, workflowId, ...digest }, () => workflowId);
  return exitCode('done');
}

async function attached(
  begun: Begun,
  options: Typed,
  limit: Duration,
  session: Session,
  output: Output,
): Promise<number> {
  const { run: handle, plan } = begun;
  const back = `come back with \`${asTyped(`result ${handle.workflowId}${connectionFlags(options)}`)}\``;
  const wait = startWait(limit, `the run ${handle.workflowId} goes on; ${back}`);
  const view = progressView(plan, output);
  const board = createPlanBoard(view.note, session, output, begun.isShown === false ? undefined : plan?.digest);
  const prompts = createPrompts(handle, board, options, view, output);
  const show = showViews(view);
  let usage: UsageReport | undefined;
  let end: RunEnd;
  try {
    const signal = AbortSignal.any([wait.signal, prompts.over]);
    end = await followToEnd(handle, { signal, server: session }, (now) => {
      show(now);
      if (plan === undefined) prompts.showPlan(now.status);
      prompts.update(now.open);
      usage = usageReport(handle.workflowId, now);
    });
  } catch (error) {
    if (error !== LEFT) throw error;
    output.note(`the run waits for a decision; ${back}`);
    return exitCode('waiting');
  } finally {
    prompts.close();
    view.close();
    wait.end();
  }
  if (usage !== undefined) output.note(usageText(usage.total));
  return tellEnd(begun, end, options, session, output, usage);
}

function tellEnd(
  { run: handle }: Begun,
  end: RunEnd,
  options: Typed,
  session: Session,
  output: Output,
  usage?: UsageReport,
) {
  return printEnd({ store: session.store, run: handle }, end, connectionFlags(options), output, usage);
}
