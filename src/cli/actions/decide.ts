/** `planwright approve` and `planwright reject`: a decision names the plan that it decides. */

import type { RunHandle, Told } from '../../client/index.ts';
import { storeDir } from '../../config/index.ts';
import { isStale, parseDecision, type Decision, type DecisionKind } from '../../run/index.ts';
import type { GlobalOptions } from '../act.ts';
import { CliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { askDecision } from './ask.ts';
import { withRun, type Session } from './connect.ts';
import { userName } from './values.ts';

export interface DecideOptions {
  readonly digest?: string;
  readonly by?: string;
  readonly role?: string;
  readonly comment?: string;
}

export function approve(options: DecideOptions & GlobalOptions, output: Output, workflowId: string): Promise<number> {
  return decide('approve', options, output, workflowId);
}

export function reject(options: DecideOptions & GlobalOptions, output: Output, workflowId: string): Promise<number> {
  return decide('reject', options, output, workflowId);
}

async function decide(
  kind: DecisionKind,
  options: DecideOptions & GlobalOptions,
  output: Output,
  workflowId: string,
): Promise<number> {
  const named = options.digest === undefined ? undefined : decisionOf(kind, options, options.digest);
  return withRun(options, { storeDir: storeDir(process.cwd()), workflowId }, async (run, session) => {
    const decision = named ?? (await askFor(kind, options, output, run, session));
    if (decision === undefined) return exitCode('waiting');
    const reply = await tell(run, decision);
    output.print({ ok: true, workflowId, ...decision, reply }, () => `${workflowId}: ${reply}`);
    return exitCode('done');
  });
}

/** Tells the run, and returns what it answered. A refusal is a CliError. */
export async function tell(run: RunHandle, decision: Decision): Promise<string> {
  const told: Told = await run.decide(decision);
  if (told.how === 'sent') return told.message;
  const { heard } = told;
  if (heard.ok) return heard.reply;
  throw new CliError(isStale(heard.refusal) ? 'STALE' : 'REFUSED', heard.reason);
}

export function decisionOf(kind: DecisionKind, options: Omit<DecideOptions, 'digest'>, digest: string): Decision {
  const { role, comment } = options;
  const by = userName(options.by);
  const parsed = parseDecision(
    { digest, by, ...(role !== undefined && { role }), ...(comment !== undefined && { comment }) },
    kind,
  );
  if (parsed.ok) return parsed.decision;
  throw new CliError('USAGE', parsed.reason);
}

/** Without a digest a person must have seen the plan; a script must say which one it means. */
async function askFor(
  kind: DecisionKind,
  options: DecideOptions & GlobalOptions,
  output: Output,
  run: RunHandle,
  { flags }: Session,
): Promise<Decision | undefined> {
  const { digest, text } = await run.plan();
  if (digest === '') throw new CliError('REFUSED', `run ${run.workflowId} has no plan yet; try again in a moment`);
  if (!output.canAsk) {
    const command = `planwright ${kind} ${run.workflowId} --digest ${digest.slice(0, 8)}${flags}`;
    const message = `a decision must name the plan it decides. The open one is ${digest}; look at it with \`planwright status ${run.workflowId}${flags}\`, then: ${command}`;
    throw new CliError('USAGE', message, { digest, command });
  }
  output.note(`${text.trimEnd()}\n\ndigest ${digest}`);
  const chosen = await askDecision(`${kind === 'approve' ? 'Approve' : 'Reject'} this plan?`);
  if (chosen === 'leave') return undefined;
  return decisionOf(chosen, options, digest);
}
