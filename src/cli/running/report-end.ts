/** Reports how a run ended: its outcome, the start of its result, and the nodes without one. */

import { cutCharacters } from '../../plan/text/index.ts';
import { ERROR_CODES, type ErrorCode, type ExitName } from '../../operations/index.ts';
import type { NodeView } from '../../protocol/index.ts';
import type { PlanIssue } from '../../plan/index.ts';
import { asTyped } from '../typed-command.ts';
import { nodeLines, noteIssues } from '../view/index.ts';
import { noteLines, receiptText } from '../../operations/words/index.ts';
import type { UsageReport } from '../usage-report.ts';
import type { Shell } from '../define-command.ts';

const FIRST_IDS = 10;
const FIRST_CHARACTERS = 2000;
/** Outcomes after which a run can be reused. */
const GOES_ON: ReadonlySet<ErrorCode> = new Set(['RUN_FAILED', 'RUN_TERMINATED', 'RUN_TIMED_OUT']);

/** Returns the exit. `usage` is what the models cost. */
export async function reportEnd(workflowId: string, shell: Shell, usage?: UsageReport): Promise<ExitName> {
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
    output.note(`go on with what it has finished: ${asTyped(`run --reuse ${workflowId}${flags}`)}`);
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

/** Short for a person at a terminal, whole for a file or a program. */
async function resultText(workflowId: string, { flags, output, perform }: Shell): Promise<string> {
  const found = await perform('result', { workflowId, format: 'ids' });
  const command = asTyped(`result ${workflowId}${flags}`);
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
