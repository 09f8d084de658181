/** The demo from its first line to its last. Whatever it starts it also stops, on Ctrl-C too. */

import { readFile } from 'node:fs/promises';
import type { RunHandle } from '../../client/index.ts';
import type { CompiledPlan, PlanIssue } from '../../plan/index.ts';
import { userName } from '../actions/values.ts';
import { CliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { askKey } from './ask-key.ts';
import { createCleanup } from './cleanup.ts';
import type { Demo } from './demos.ts';
import { planLines } from './plan-view.ts';
import { createScreen, wrap, type Screen } from './screen.ts';
import { showEnd } from './show-end.ts';
import { linkOf, openStage, shortPath, type Stage, type StageOptions } from './stage.ts';
import { watchRun } from './watch-run.ts';

export interface DemoOptions {
  /** Approves in advance, and stops everything at once at the end. */
  readonly yes?: boolean;
  /** Leaves the server and the worker running. */
  readonly keep?: boolean;
  /** Pause before each task, in milliseconds. */
  readonly pace: number;
  /** Whether a worker is killed in mid-run. */
  readonly kill: boolean;
}

/** Returns the exit code: 0 when the plan was carried out and no finished node ran twice. */
export async function runDemo(demo: Demo, options: DemoOptions, output: Output): Promise<number> {
  const screen = createScreen(output);
  const cleanup = createCleanup();
  const interruption = new AbortController();
  const interrupt = () =>
    interruption.abort(new CliError('INTERRUPTED', 'interrupted; all that the demo started is stopped'));
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, interrupt);
  try {
    const { keep = false, pace } = options;
    const { signal } = interruption;
    const played = play(options, output, { demo, paceMs: pace, keep, screen, cleanup, signal });
    return await Promise.race([played, rejection(signal)]);
  } finally {
    screen.settle();
    await cleanup.run();
    for (const signal of signals) process.off(signal, interrupt);
  }
}

async function play(
  { yes = false, keep = false, kill }: DemoOptions,
  output: Output,
  options: StageOptions,
): Promise<number> {
  const { screen, cleanup, signal } = options;
  const { paint } = screen;
  screen.say(
    '',
    `${paint('bold', 'Planwright')}: a plan that is shown, approved, run on Temporal, and survives a crash.`,
    '',
  );
  const stage = await openStage(options);
  const { server, ledgerFile } = stage;
  const worker = await stage.startWorker();
  screen.say(
    `  server   ${server.address}${paint('dim', server.started ? `, started (${server.how})` : `, found (${server.how})`)}`,
    `  worker   process ${worker.pid}`,
    `  files    ${shortPath(ledgerFile.replace(/\.ledger\.jsonl$/, '.*'))}`,
  );

  const { run, plan } = await propose(stage);
  cleanup.add(() => endRun(stage));
  const by = userName(undefined);
  const kind = yes ? 'approve' : await askDecision(screen, signal);
  await run.decide({ kind, digest: plan.digest, by });
  if (kind === 'reject') {
    await run.end(signal);
    screen.say('', 'Rejected: nothing of the plan was run.');
    return exitCode('rejected');
  }
  screen.say('', `${paint('bold', 'Run')}  plan ${plan.digest.slice(0, 8)}, approved by ${by}`);
  screen.say(`  ${paint('dim', await linkOf(stage))}`, '');

  const watched = await watchRun({ stage, run, plan, worker, kill });
  const code = await showEnd({ stage, run, plan, output, watched, kill, stays: keep || !yes });
  if (keep) {
    watched.worker.release();
    const pids = [watched.worker.pid, ...(server.pid === undefined ? [] : [server.pid])];
    screen.say(
      '',
      `${server.started ? 'Server and worker go' : 'The worker goes'} on. To stop: kill ${pids.join(' ')}`,
    );
    cleanup.forget();
  } else if (!yes) {
    screen.say(
      '',
      `Press ${paint('bold', 'q')} to stop ${server.started ? 'the server and the worker' : 'the worker'}; until then the commands above work.`,
    );
    await askKey(['q'], signal);
  }
  return code;
}

/** Starts the run, which then waits for a decision, and shows what there is to decide. */
async function propose(stage: Stage): Promise<{ run: RunHandle; plan: CompiledPlan }> {
  const { demo, plans, workflowId, screen } = stage;
  const { paint } = screen;
  const started = await plans.start(await readFile(demo.planFile), { workflowId });
  if (!started.ok) throw invalid(demo, started.issues);
  const { run, plan, warnings } = started;
  screen.say('', paint('bold', 'Question'), ...wrap(demo.question, screen.width - 2).map((line) => `  ${line}`));
  const merged = warnings.filter(({ code }) => code === 'merged-node').length;
  screen.say('', `${paint('bold', 'Plan')}  ${plan.tasks.length + plan.combines.length} nodes, digest ${plan.digest}`);
  for (const { code, message } of warnings) if (code !== 'merged-node') screen.say(`  ${message}`);
  if (merged > 0) {
    screen.say(
      paint('dim', `      ${merged} parts of the document repeat others; equal parts are one node and run once`),
    );
  }
  screen.say('', ...planLines(plan, { ...screen, width: screen.width - 2 }).map((line) => `  ${line}`));
  return { run, plan };
}

function invalid({ planFile }: Demo, issues: readonly PlanIssue[]): CliError {
  const lines = issues
    .filter(({ severity }) => severity === 'error')
    .map(({ path, message }) => `  ${path}: ${message}`);
  return new CliError('PLAN_INVALID', `the plan in ${planFile} is invalid:\n${lines.join('\n')}`, { issues });
}

async function askDecision(screen: Screen, signal: AbortSignal): Promise<'approve' | 'reject'> {
  const { paint } = screen;
  screen.say(
    '',
    `Run exactly this plan?  ${paint('bold', 'y')} approve   ${paint('bold', 'n')} reject   ${paint('bold', 'q')} reject and leave`,
  );
  return (await askKey(['y', 'n', 'q'], signal)) === 'y' ? 'approve' : 'reject';
}

/** A run that the demo leaves open would wait for ever for workers that are gone. */
async function endRun({ client, workflowId }: Stage): Promise<void> {
  const handle = client.workflow.getHandle(workflowId);
  const { status } = await handle.describe();
  if (status.name === 'RUNNING') await handle.terminate('the demo was left before its end');
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
