import { Command } from 'commander';
import { act, example } from '../act.ts';
import type { DecideOptions } from '../actions/decide.ts';

export function approveCommand(): Command {
  const command = decision('approve', 'approve exactly the plan that a run shows');
  return act<DecideOptions>(command, async () => (await import('../actions/decide.ts')).approve);
}

export function rejectCommand(): Command {
  const command = decision('reject', 'reject the plan that a run shows, which ends the run');
  return act<DecideOptions>(command, async () => (await import('../actions/decide.ts')).reject);
}

function decision(name: string, description: string): Command {
  const command = new Command(name)
    .description(description)
    .argument('<workflow-id>', 'the run')
    .option('--digest <digest>', 'digest of the plan that is decided; its first 8 digits suffice')
    .option('--by <name>', 'who decides (default: your user name)')
    .option('--role <role>', 'in which role')
    .option('--comment <text>', 'why');
  return example(command, `planwright ${name} plan-1 --digest 3fa9c1d2 --by ana`);
}
