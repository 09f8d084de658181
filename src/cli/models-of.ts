/** The models of a project, for a command: what does not fit is an error of the configuration. */

import type { Project } from '../edge/project/index.ts';
import { openModels } from '../edge/own-worker/index.ts';
import { modelProblem } from '../worker/plugin/index.ts';
import { CliError } from './cli-error.ts';

/** undefined where no model is configured. @throws CliError CONFIG_INVALID where there are agents and no model. */
export function modelsForWork(project: Project): ReturnType<typeof openModels> {
  const models = modelsOf(project);
  const missing = modelProblem(project.registry, models);
  if (missing !== undefined) throw new CliError('CONFIG_INVALID', missing);
  return models;
}

/** The same for whoever only plans. @throws CliError of this code where the settings do not fit. */
export function modelsOf(
  project: Project,
  code: 'CONFIG_INVALID' | 'USAGE' = 'CONFIG_INVALID',
): ReturnType<typeof openModels> {
  try {
    return openModels(project);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CliError(code, `the settings of the models do not fit: ${error.message}`);
  }
}
