import { Command } from 'commander';
import { act, example } from '../act.ts';
import type { ProjectOptions } from '../actions/open-project.ts';
import { projectOptions } from './project-options.ts';

export function capabilitiesCommand(): Command {
  const command = projectOptions(new Command('capabilities')).description('what the tasks of this project can do');
  example(command, 'planwright capabilities --demo gene-strategies -o json');
  return act<ProjectOptions>(command, async () => (await import('../actions/capabilities.ts')).capabilities);
}
