/** The models of a project, as its config names them and its environment has the keys for them. */

import type { ProjectModels } from '../activities/index.ts';
import type { Agent, CapabilityRegistry } from '../capabilities/index.ts';
import { isModelClient, modelKey, modelSettings, type ChosenModel, type LoadedConfig } from '../config/index.ts';
import { openAIClient, readPrompts, type ModelClient } from '../planner/index.ts';

/**
 * What a worker asks: the planner's model, an agent's, and that of capabilities, each on top of the project's.
 * @returns undefined where no model is configured
 * @throws TypeError that names the setting or the prompt that does not fit
 * @example const models = openModels(await loadConfig('planwright.config.ts'));
 */
export function openModels({
  model,
  planner,
}: Partial<Pick<LoadedConfig, 'model' | 'planner'>>): ProjectModels | undefined {
  const clients = new Map<string, ModelClient>();
  const forAll = modelSettings(model);
  const forPlanner = modelSettings(model, planner?.model);
  if (forPlanner === undefined) return undefined;
  return {
    planner: {
      ...asked(forPlanner, clients),
      prompts: readPrompts(planner?.prompts, 'planner.prompts'),
      format: planner?.format ?? 'nodes',
    },
    modelOf: (agent?: Agent) => asked(modelSettings(model, agent?.model) ?? forAll ?? forPlanner, clients),
  };
}

/**
 * Why a worker of this project cannot start: it has agents, and nothing that they could decide with.
 * @returns undefined where there is none, or a sentence that says what to do
 * @example modelProblem(createRegistry([search]), undefined); // undefined
 */
export function modelProblem(
  { agents }: Pick<CapabilityRegistry, 'agents'>,
  models: ProjectModels | undefined,
): string | undefined {
  if (models !== undefined || agents.length === 0) return undefined;
  const names = agents.length === 1 ? `the agent ${agents[0]} has` : `the agents ${agents.join(', ')} have`;
  return (
    `${names} no model to decide with; set "model" in the configuration, as { name: 'your-model' } or with a baseURL ` +
    '(docs/configuration.md), or take the agents out'
  );
}

/** One client per server and model: its line bounds how many calls it has at once. */
function asked({ client: chosen, request }: ChosenModel, clients: Map<string, ModelClient>) {
  if (isModelClient(chosen)) return { client: chosen, request };
  const name = JSON.stringify(chosen);
  const apiKey = modelKey(chosen);
  const client = clients.get(name) ?? openAIClient({ ...chosen, ...(apiKey !== undefined && { apiKey }) });
  clients.set(name, client);
  return { client, request };
}
