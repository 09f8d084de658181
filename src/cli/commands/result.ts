/** `planwright result` in text: one id per line of a set, or the lines of its file; jsonl has one record per line. */

import { quoteForShell } from '../../plan/text/index.ts';
import { OperationError } from '../../operations/index.ts';
import { asTyped } from '../typed-command.ts';
import type { View } from '../row-command.ts';

export const resultView: View<'result'> = {
  /** @throws OperationError USAGE if stdout gets no text */
  input({ format }, { output }) {
    if (format === undefined || format === 'json')
      return { format: output.format === 'text' ? 'ids' : 'json' } as const;
    if (output.format === 'text') return {};
    const message = `--format ${format as string} is a text, and -o ${output.format} is none; give one of them`;
    throw new OperationError('USAGE', message);
  },
  onward: ({ workflowId }, flags) =>
    `the run goes on; come back with \`${asTyped(`result ${quoteForShell(String(workflowId))}${flags}`)}\``,
  async handle(work, { workflowId = '' }, { flags, output, plans }) {
    const { run } = await plans.run(workflowId);
    const { reportWait } = await import('../report-wait.ts');
    return reportWait(run, { flags, output }, work());
  },
};
