/** A worker that has agents has a model for them to decide with. */

import type { CapabilityRegistry } from '../capabilities/builtin/index.ts';
import type { ProjectModels } from '../activities/index.ts';

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
