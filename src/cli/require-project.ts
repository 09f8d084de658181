/** The project of a command that cannot do without one. */

import { openProject, type Project, type ProjectOptions } from '../edge/project/index.ts';
import { asTyped } from './as-typed.ts';
import { CliError } from './cli-error.ts';

/** @throws CliError NO_CONFIG that names the command with a demo, and as `openProject`. */
export async function requireProject(options: ProjectOptions, command: string): Promise<Project> {
  const project = await openProject(options);
  if (project !== undefined) return project;
  throw new CliError(
    'NO_CONFIG',
    `there is no planwright.config.ts in ${process.cwd()}; \`${asTyped('init')}\` writes one, --config FILE names one, ` +
      `or try \`${asTyped(`${command} --demo gene-strategies`)}\`${command === 'dev' ? '; --server-only starts a server without a worker' : ''}`,
  );
}
