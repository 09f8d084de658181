/** Prints how a run ended: its outcome, the beginning of its result, and the nodes that have none. */

import type { RunEnd } from '../../edge/client/index.ts';
import type { RunSession } from '../../edge/project/index.ts';
import type { Result } from '../../wire/results/index.ts';
import type { Output } from '../terminal/index.ts';
import { asTyped } from '../as-typed.ts';
import { CliError, issuesOf } from '../cli-error.ts';
import { exitCode, type ErrorCode } from '../exit-codes.ts';
import { errorOfEnd, nodesOfError } from './end-report.ts';
import { nodeLines } from './node-lines.ts';
import { noteIssues } from './plan-issues.ts';
import { readReceipt, receiptText } from './receipt.ts';
import { readStored, resultText, writtenText } from './stored-result.ts';
import type { UsageReport } from './usage-report.ts';
import { cutCharacters } from '../../language/text/index.ts';

const FIRST_IDS = 10;
const FIRST_CHARACTERS = 2000;

/** Returns the exit code. `flags` are the connection flags, `usage` what models were paid for. */
export async function printEnd(
  session: Pick<RunSession, 'run' | 'store'>,
  end: RunEnd,
  flags: string,
  output: Output,
  usage?: UsageReport,
): Promise<number> {
  const { workflowId } = session.run;
  const error = errorOfEnd(workflowId, end);
  const receipt = await readReceipt(session);
  const ended = {
    receipt,
    ...(end.how === 'completed' ? end.result : { outcome: end.how }),
    ...(usage !== undefined && { usage }),
  };
  if (error === undefined && end.how === 'completed' && end.result.result !== undefined) {
    const { result } = end.result;
    const command = asTyped(`result ${workflowId}${flags}`);
    const stored = output.format === 'text' ? await readStored(session, result) : undefined;
    output.print({ ok: true, workflowId, ...ended }, () => (stored === undefined ? '' : beginning(stored, command)));
    output.note(receiptText(end, receipt, stored && writtenText(stored)));
    return exitCode('done');
  }
  output.note(receiptText(end, receipt));
  return printFailure(
    error ?? new CliError('NO_RESULT', `run ${workflowId} ended without a result`),
    workflowId,
    ended,
    flags,
    output,
  );
}

/** What a run may go on after. */
const GOES_ON: ReadonlySet<ErrorCode> = new Set(['RUN_FAILED', 'RUN_TERMINATED', 'RUN_TIMED_OUT']);

function printFailure(
  error: CliError,
  workflowId: string,
  ended: { readonly outcome: string },
  flags: string,
  output: Output,
): number {
  const { code, message, details } = error;
  noteIssues(issuesOf(error), output);
  if (GOES_ON.has(code)) output.note(`go on with what it has finished: ${asTyped(`rerun ${workflowId}${flags}`)}`);
  const nodes = nodesOfError(error);
  const text = [message, ...(nodes.length > 0 ? nodeLines(nodes, { columns: output.lineColumns }) : [])].join('\n');
  // A partial end names its nodes as `missing` already.
  const told = 'missing' in ended ? {} : details;
  output.print({ ok: false, workflowId, ...ended, error: { code, message, ...told } }, () => text);
  return error.exitCode;
}

function beginning(result: Result, command: string): string {
  const text = resultText(result);
  if (result.kind !== 'set') {
    return text.length <= FIRST_CHARACTERS ? text : `${cutCharacters(text, FIRST_CHARACTERS)}\nthe whole: ${command}`;
  }
  const first = result.set.ids.slice(0, FIRST_IDS);
  const more = result.set.ids.length - first.length;
  return [...first, ...(more > 0 ? [`and ${more.toLocaleString('en-US')} more; all of them: ${command}`] : [])].join(
    '\n',
  );
}
