import { Command } from 'commander';
import { act, example } from '../act.ts';
import type { DecideOptions } from '../actions/decide.ts';
import { projectOptions } from './project-options.ts';
import { speakerOptions } from './speaker-options.ts';

export function approveCommand(): Command {
  const command = decision('approve', 'approve exactly the plan that a run shows').option(
    '--nodes <ids>',
    'only these nodes and what they depend on, such as node_3,node_4',
  );
  return act<DecideOptions>(
    example(speakerOptions(command), 'planwright approve plan-1 --digest 3fa9c1d2 --by ana'),
    async () => (await import('../actions/decide.ts')).approve,
  );
}

export function rejectCommand(): Command {
  const command = decision('reject', 'reject the plan that a run shows, which ends the run or asks for an edit');
  return act<DecideOptions>(
    example(speakerOptions(command), 'planwright reject plan-1 --digest 3fa9c1d2 --by ana'),
    async () => (await import('../actions/decide.ts')).reject,
  );
}

export function decideCommand(): Command {
  const command = decision('decide', 'decide on the plan that a run shows, in any way that there is')
    .option('--kind <kind>', 'approve, approve-part, reject, revise, edit or withdraw')
    .option('--say <text>', 'in place of --kind: yes or no in words, as they come from a chat')
    .option('--nodes <ids>', 'with approve-part: these nodes and what they depend on')
    .option('--plan <file>', 'with edit: the plan that takes the place of the open one, or - for standard input')
    .option('--feedback <text>', 'with revise: what another plan should do better')
    .option('--revision <n>', 'the revision that is decided, beside its digest');
  return act<DecideOptions>(
    example(
      projectOptions(speakerOptions(command)),
      'planwright decide plan-1 --kind edit --digest 3fa9c1d2 --plan better.json --by ana',
    ),
    async () => (await import('../actions/decide.ts')).decide,
  );
}

function decision(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument('<workflow-id>', 'the run')
    .option('--digest <digest>', 'digest of the plan that is decided; its first 8 digits suffice');
}
