import { Command } from 'commander';
import { act, example } from '../act.ts';
import type { RunOptions } from '../actions/run.ts';
import { projectOptions } from './project-options.ts';
import { keyOptions } from './speaker-options.ts';

export function runCommand(): Command {
  const command = projectOptions(new Command('run'))
    .description('start a run of a plan and wait for its end')
    .argument('<file>', 'plan document, or - for standard input')
    .option('--task-queue <name>', "task queue of the workers (default: the config's, else planwright)")
    .option('--workflow-id <id>', 'id of the run (default: made from the goal)')
    .option('--detach', 'do not wait')
    .option('--approve', 'approve exactly this plan at once')
    .option('--yes', 'the same as --approve')
    .option('--by <name>', 'who approves (default: your user name)')
    .option('--role <role>', 'in which role')
    .option(
      '--approval <policy>',
      'required: every plan waits; effects: only what changes something; or a file { "rules": [...] }',
    )
    .option('--approval-deadline <duration>', 'silence for so long is refusal (default 24h)')
    .option('--answer-deadline <duration>', 'how long a question waits that says nothing else (default 24h)')
    .option('--max-rejections <n>', 'the rejection that ends the run; those before wait for an edit (default 1)')
    .option('--on-failure <policy>', 'fail; partial: end with what there is; ask: wait for a person (default fail)')
    .option('--concurrency <n>', 'nodes in flight at once (default 100)')
    .option('--context <file>', 'JSON object: external context that the steps of a list may name')
    .option('--timeout <duration>', 'wait no longer than this; the run goes on');
  keyOptions(command);
  example(command, 'planwright run plan.json --approve --by ana');
  return act<RunOptions>(command, async () => (await import('../actions/run.ts')).run);
}
