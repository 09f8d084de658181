import { Command } from 'commander';
import { act, example } from '../act.ts';
import type { DoctorOptions } from '../actions/doctor.ts';
import { projectOptions } from './project-options.ts';

export function doctorCommand(): Command {
  const command = projectOptions(new Command('doctor'))
    .description('check what runs stand on, and say what to do about what is missing; exits 2 when something is')
    .option('--task-queue <name>', "task queue of the workers (default: the config's, else planwright)")
    .option('--no-run', 'leave out the run of forty idle tasks that shows how fast the server is');
  example(command, 'planwright doctor --demo gene-strategies');
  return act<DoctorOptions>(command, async () => (await import('../actions/doctor.ts')).doctor);
}
