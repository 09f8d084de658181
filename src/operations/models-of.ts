/** The models of a project. An invalid setting is an error of the config or, if it was typed, of the command. */

import { clientIn } from '../config/index.ts';
import { openModels } from '../config/own-worker/index.ts';
import type { EquippedProject, Project } from '../config/project/index.ts';
import type { ModelClient } from '../models/index.ts';
import { modelProblem } from '../worker/index.ts';
import { given } from '../protocol/index.ts';
import { OperationError, wrongUsage } from './operation-error.ts';
import { textField, type Z } from './operation.ts';

type Configured = Pick<Project, 'model' | 'planner'>;
type Models = NonNullable<ReturnType<typeof openModels>>;

/**
 * The models for runs; undefined if no model is configured.
 * @throws OperationError CONFIG_INVALID if there are agents and no model
 */
export function modelsForWork(project: EquippedProject): Models | undefined {
  const models = modelsOf(project, 'CONFIG_INVALID');
  const missing = modelProblem(project.registry, models);
  if (missing !== undefined) throw new OperationError('CONFIG_INVALID', missing);
  return models;
}

function modelsOf(
  project: Configured,
  code: 'CONFIG_INVALID' | 'USAGE',
  typed?: Configured['model'],
): Models | undefined {
  try {
    return openModels(project, typed);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const typing = `what was typed does not fit: ${error.message}; --model URL names a server, --model-name a model of it`;
    const settings = `the settings of the models do not fit: ${error.message}`;
    throw new OperationError(code, code === 'USAGE' ? typing : settings);
  }
}

/** Input fields that override the configured model. */
export const namedModel = (z: Z) => ({
  model: textField(z, 'ask this server, which speaks the protocol of OpenAI, instead of the configured one'),
  modelName: textField(z, 'ask this model'),
});
type NamedModel = { readonly [Field in keyof ReturnType<typeof namedModel>]?: string | undefined };

/**
 * The planner's model and its settings.
 * @throws OperationError USAGE without a model, or if a typed setting does not fit
 */
export function chosenPlanner(
  { model, planner, registry }: EquippedProject,
  { model: baseURL, modelName: name }: NamedModel,
) {
  // If an address is typed, a configured client is ignored, since the client has its own server.
  const below = <Layer>(layer: Layer) => (baseURL !== undefined && clientIn(layer) !== undefined ? undefined : layer);
  const planned = planner && { ...planner, model: below(planner.model) };
  const typed = given({ baseURL, name });
  const code = Object.keys(typed).length > 0 ? 'USAGE' : 'CONFIG_INVALID';
  const models = modelsOf({ model: below(model), planner: planned } as Configured, code, typed as Configured['model']);
  if (models === undefined) throw wrongUsage(NO_MODEL);
  const { client, request: settings, prompts, format } = models.planner;
  const { agents, offered: capabilities, withheld } = registry;
  const configured: ModelClient = {
    name: client.name,
    complete: (request, options) => client.complete({ ...request, ...settings }, options),
  };
  return {
    ...{ model: configured, prompts, format, capabilities, withheld, catalogue: registry },
    agents: agents.flatMap((one) => registry.agent(one) ?? []),
  };
}

const NO_MODEL =
  'there is no model to plan with: set "model" in planwright.config.ts (docs/configuration.md), or give --model URL of a ' +
  'server that speaks the protocol of OpenAI with --model-name NAME; its key comes from PLANWRIGHT_MODEL_KEY, or for ' +
  'OpenAI itself from OPENAI_API_KEY';
