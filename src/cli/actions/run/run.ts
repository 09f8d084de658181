/** `planwright run`: starts a run, shows it, lets a person decide, and waits for its end. */

import type { RunEnd } from '../../../client/index.ts';
import { runPageOf } from '../../../dev-server/index.ts';
import { followToEnd } from '../../../follow/index.ts';
import { renderTree } from '../../../plan/index.ts';
import { connect, folderStoreDir, openProject, type ProjectOptions, type Session } from '../../../project/index.ts';
import type { Output } from '../../../terminal/index.ts';
import { invalidPlan } from '../../cli-error.ts';
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
import { connectionFlags, digestLine, noteIssues, printEnd, progressView, showViews } from '../../showing/index.ts';
import { startWait, timeLimit } from '../../wait.ts';
import { approveAtOnce, type Begun } from './approve-at-once.ts';
import { createPrompts, LEFT } from './prompts.ts';
import { visible } from '../../../text/index.ts';

export interface RunOptions extends ProjectOptions, KeyOptions, RunFlags {
  readonly taskQueue?: string | undefined;
  readonly workflowId?: string | undefined;
  readonly detach?: true | undefined;
  readonly approve?: true | undefined;
  readonly yes?: true | undefined;
  readonly by?: string | undefined;
  readonly role?: string | undefined;
  readonly timeout?: Duration | undefined;
}

type Typed = RunOptions & GlobalOptions;

export async function run(options: Typed, output: Output, file: string): Promise<number> {
  const { taskQueue, workflowId, detach, approve, yes } = options;
  const limit = timeLimit(options);
  const runOptions = await runOptionsOf(options);
  const isApproved = approve === true || yes === true;
  if (isApproved) userName(options.by);
  const signer = await openSigner(options);
  const document = await readDocument(file);
  const project = await openProject(options);
  const storeDir = options.store ?? project?.storeDir ?? (await folderStoreDir());
  const session = await connect({ storeDir, signer, taskQueue, project });
  try {
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
    const refused = isApproved ? await approveAtOnce(started, options, output) : undefined;
    if (refused !== undefined) return await tellEnd(started, refused, options, session, output);
    return detach === true ? detached(started, output) : await attached(started, options, limit, session, output);
  } finally {
    await session.close();
  }
}

async function noteCard({ run: { workflowId }, plan }: Begun, session: Session, output: Output): Promise<void> {
  const link = await runPageOf(session, workflowId);
  output.note(`${output.paint('bold', visible(plan.goal))}\n\n${renderTree(plan).trimEnd()}\n`);
  output.note(digestLine(plan));
  output.note(`run ${workflowId}${link === undefined ? '' : `\n${link}`}`);
}

function detached({ run: { workflowId }, plan }: Begun, output: Output): number {
  output.print({ ok: true, workflowId, digest: plan.digest }, () => workflowId);
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
  const back = `come back with \`planwright result ${handle.workflowId}${connectionFlags(options)}\``;
  const wait = startWait(limit, `the run ${handle.workflowId} goes on; ${back}`);
  const view = progressView(plan, output);
  const prompts = createPrompts(begun, options, view, output);
  const show = showViews(view);
  let end: RunEnd;
  try {
    const signal = AbortSignal.any([wait.signal, prompts.over]);
    end = await followToEnd(handle, { signal, server: session }, (now) => {
      show(now);
      prompts.update(now.open);
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
  return tellEnd(begun, end, options, session, output);
}

function tellEnd({ run: handle }: Begun, end: RunEnd, options: Typed, session: Session, output: Output) {
  return printEnd({ store: session.store, run: handle }, end, connectionFlags(options), output);
}
