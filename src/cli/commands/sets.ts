/** `planwright combine` and `result` in text: a set has one id a line, or the lines of its file; with jsonl one record a line. */

import { OperationError, type Heard } from '../../operations/index.ts';
import { asTyped } from '../as-typed.ts';
import type { Typed } from '../define-command.ts';
import type { View } from '../row-command.ts';
import type { Output } from '../terminal/index.ts';

const setView = {
  /** @throws OperationError USAGE where stdout gets no text that could have the shape */
  input({ format }: Typed, { output }: { readonly output: Output }) {
    if (format === undefined || format === 'json')
      return { format: output.format === 'text' ? 'ids' : 'json' } as const;
    if (output.format === 'text') return {};
    const message = `--format ${format as string} is a text, and -o ${output.format} is none; give one of them`;
    throw new OperationError('USAGE', message);
  },
};

export const combineView: View<'combine'> = { ...setView, hear: tell };

export const resultView: View<'result'> = {
  ...setView,
  onward: ({ workflowId }, flags) =>
    `the run goes on; come back with \`${asTyped(`result ${String(workflowId)}${flags}`)}\``,
  async handle(work, { workflowId = '' }, { flags, output, plans }) {
    const { run } = await plans.run(workflowId);
    const { tellWaiting } = await import('../tell-waiting.ts');
    return tellWaiting(run, { flags, output }, work());
  },
};

/** A problem stands in the JSON of the error already. */
function tell({ is, text: told }: Heard, { format, note, paint }: Output): void {
  if (is !== 'issue') note(`${paint(is === 'warning' ? 'yellow' : 'dim', is)} ${told}`);
  else if (format === 'text') note(told);
}

/** `--output left` of `combine` names a side; the program's own `--output` names a format, which no side is. */
export function plainSides(args: readonly string[]): string[] {
  if (!args.includes('combine')) return [...args];
  return args.map((arg, at) => {
    if (arg === '--output' && isSide(args[at + 1])) return '--output-side';
    return arg.startsWith('--output=') && isSide(arg.slice('--output='.length))
      ? arg.replace('--output', '--output-side')
      : arg;
  });
}

function isSide(value: string | undefined): boolean {
  return value === 'left' || value === 'right';
}
