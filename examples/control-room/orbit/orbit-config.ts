/** The reactive story of the control room as a project: its capabilities, its scripted model, and whom its runs ask. */

import { defineConfig, type PlanwrightConfig } from 'planwright';
import type { DemoConfigOptions } from '../../stage/index.ts';
import { chosenModel } from '../../from-goal/index.ts';
import { paced } from '../../stage/paced.ts';
import { orbitCapabilities, SAFE } from './capabilities.ts';
import { openCorrectors } from './corrector-room.ts';
import { ORBIT_SCRIPT } from './model-script.ts';

/** Long enough for a worker to be killed between a pulse and its answer. */
const SETTLE_MS = 1500;

export function createOrbitConfig({
  paceMs = 0,
  stateFile,
  modelFile,
}: Partial<Omit<DemoConfigOptions, 'model'>>): PlanwrightConfig {
  const capabilities = orbitCapabilities(openCorrectors(stateFile), SETTLE_MS);
  return defineConfig({
    capabilities: capabilities.map((capability) => paced(capability, paceMs)),
    model: chosenModel({ answers: ORBIT_SCRIPT, paceMs, modelFile }),
  });
}

/** The option `approval` of the runs: an operator for whatever writes, but for the way to safety. */
export function orbitApproval(): Exclude<NonNullable<PlanwrightConfig['approval']>, string> {
  const writes = orbitCapabilities(openCorrectors()).filter(({ effect, name }) => effect !== 'read' && name !== SAFE);
  return { rules: writes.map(({ name }) => ({ capability: name, roles: ['operator'] })) };
}
