/** The models of a project: what does not fit is an error of its configuration, or of what was typed in its place. */

import { openModels } from '../config/own-worker/index.ts';
import type { EquippedProject, Project } from '../config/project/index.ts';
import type { ModelClient } from '../models/index.ts';
import { modelProblem } from '../worker/index.ts';
import { given } from '../protocol/index.ts';
import { OperationError } from './operation-error.ts';
import type { Z } from './operation.ts';

type Models = NonNullable<ReturnType<typeof openModels>>;

/** undefined where no model is configured. @throws OperationError CONFIG_INVALID where there are agents and no model. */
export function modelsForWork(project: EquippedProject): Models | undefined {
  const models = modelsOf(project, 'CONFIG_INVALID');
  const missing = modelProblem(project.registry, models);
  if (missing !== undefined) throw new OperationError('CONFIG_INVALID', missing);
  return models;
}

/** @throws OperationError of this code where the settings do not fit. */
function modelsOf(project: Project, code: 'CONFIG_INVALID' | 'USAGE'): Models | undefined {
  try {
    return openModels(project);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new OperationError(code, `the settings of the models do not fit: ${error.message}`);
  }
}

/** A model in place of the configured one. */
export const namedModel = (z: Z) => ({
  model: z
    .string()
    .optional()
    .describe('ask this server, which speaks the protocol of OpenAI, instead of the configured one'),
  modelName: z.string().optional().describe('ask this model'),
});
type NamedModel = { readonly [Field in keyof ReturnType<typeof namedModel>]?: string | undefined };

export type ChosenPlanner = Pick<Models['planner'], 'prompts' | 'format'> & { readonly model: ModelClient };

/** @throws OperationError USAGE where there is none, and where what was named does not fit. */
export function chosenPlanner(project: Project, flags: NamedModel): ChosenPlanner {
  const models = modelsOf(withFlags(project, flags), flags.model === undefined ? 'CONFIG_INVALID' : 'USAGE');
  if (models === undefined) throw new OperationError('USAGE', NO_MODEL);
  const { client, request: settings, prompts, format } = models.planner;
  return {
    prompts,
    format,
    model: { name: client.name, complete: (request, options) => client.complete({ ...request, ...settings }, options) },
  };
}

const NO_MODEL =
  'there is no model to plan with: set "model" in planwright.config.ts (docs/configuration.md), or give --model URL of a ' +
  'server that speaks the protocol of OpenAI with --model-name NAME; its key comes from PLANWRIGHT_MODEL_KEY, or for ' +
  'OpenAI itself from OPENAI_API_KEY';

/** A server that is typed takes the place of the configured one, with all that is said of that one. */
function withFlags(project: Project, { model: baseURL, modelName }: NamedModel): Project {
  const { model, planner } = project;
  if (baseURL === undefined && modelName === undefined) return project;
  const settings = model !== undefined && !('complete' in model) ? model : undefined;
  const onTop = planner?.model !== undefined && !('complete' in planner.model) ? planner.model : undefined;
  const name = modelName ?? onTop?.name ?? settings?.name;
  if (name === undefined) {
    throw new OperationError(
      'USAGE',
      '--model names a server; say with --model-name NAME which of its models is asked',
    );
  }
  if (baseURL === undefined && (settings ?? onTop) === undefined && model !== undefined) {
    throw new OperationError(
      'USAGE',
      `--model-name: the configured model is a client of its own, ${model.name}; add --model`,
    );
  }
  const { model: _, ...rest } = planner ?? { format: 'nodes' as const };
  const { temperature, maxTokens, reasoningEffort } = { ...settings, ...onTop };
  const typed =
    baseURL === undefined
      ? { ...settings, ...onTop, name }
      : given({ temperature, maxTokens, reasoningEffort, baseURL, name });
  return { ...project, model: typed, planner: rest };
}
