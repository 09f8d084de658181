import { Command } from 'commander';
import { act, example } from '../act.ts';
import type { TraceOptions } from '../actions/trace.ts';

export function traceCommand(): Command {
  const command = new Command('trace')
    .summary('say what happened to a run, and who said what')
    .description('say what happened to a run, and who said what; with -o jsonl it is the audit, an object a line')
    .argument('<workflow-id>', 'the run')
    .option('--after <n>', 'only what came after this entry');
  example(command, 'planwright trace plan-1 -o jsonl');
  return act<TraceOptions>(command, async () => (await import('../actions/trace.ts')).trace);
}
