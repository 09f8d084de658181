/** The models of a project, with keys from the environment. */

import type { ProjectModels } from '../../activities/index.ts';
import type { Agent } from '../../capabilities/index.ts';
import {
  isModelClient,
  modelKey,
  modelSettings,
  withSecrets,
  type ChosenModel,
  type PlanwrightConfig,
} from '../index.ts';
import { openAIClient, type ModelClient } from '../../models/index.ts';
import { readPrompts } from '../../planner/index.ts';

type Configured = Pick<PlanwrightConfig, 'model' | 'planner'>;

/**
 * The models of a worker: the planner's, an agent's, and that of capabilities, each on top of the project's.
 * @param typed settings on top of the planner's
 * @returns undefined where no model is configured
 * @throws TypeError that names the setting or the prompt that does not fit
 * @example const models = openModels({ model: { baseURL: 'http://127.0.0.1:8080/v1', name: 'local' } });
 */
export function openModels({ model, planner }: Configured, typed?: Configured['model']): ProjectModels | undefined {
  const clients = new Map<string, ModelClient>();
  const forPlanner = modelSettings(model, planner?.model, typed);
  if (forPlanner === undefined) return undefined;
  return {
    planner: {
      ...clientFor(forPlanner, clients),
      prompts: readPrompts(planner?.prompts, 'planner.prompts'),
      format: planner?.format ?? 'nodes',
    },
    modelOf: (agent?: Agent) => clientFor(modelSettings(model, agent?.model) ?? forPlanner, clients),
  };
}

/** One client per server and model, since its queue limits concurrent calls. */
function clientFor({ client: chosen, ...settings }: ChosenModel, clients: Map<string, ModelClient>) {
  if (isModelClient(chosen)) return { client: chosen, ...settings };
  const name = JSON.stringify(chosen);
  const apiKey = modelKey(chosen);
  const client = clients.get(name) ?? openAIClient({ ...withSecrets(chosen), ...(apiKey !== undefined && { apiKey }) });
  clients.set(name, client);
  return { client, ...settings };
}
