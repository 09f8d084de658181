/** A search strategy on real annotation: exons beside young Alu repeats on human chromosome 1. See README.md. */

import { fileURLToPath } from 'node:url';
import { defineConfig, type PlanwrightConfig } from 'planwright';
import type { Demo, ModelServer } from '../stage/index.ts';
import { chosenModel, MAX_REPLY_TOKENS } from '../from-goal/index.ts';
import { paced } from '../stage/paced.ts';
import { recordsNamed, trackRecords } from './capabilities.ts';
import { PLANNER_SCRIPT } from './planner-script.ts';

interface GeneStrategiesOptions {
  /** Pause before each task, in milliseconds, for the eye; combines are never slowed. Default 0. */
  readonly paceMs?: number;
  /** The file of the calls of its model. Without it and without a `model` there is none: runs start from plans. */
  readonly modelFile?: string;
  /** The model to ask in the place of the scripted one, which plans the goal of `plan.json` and nothing else. */
  readonly model?: ModelServer;
}

export const demo: Demo = {
  name: 'gene-strategies',
  question:
    'Which protein-coding exons of human chromosome 1 have a young Alu on one flank, but not the inverted partner on ' +
    'the other flank that would let them form circular RNA, and hold no tandem repeat?',
  planFile: fileURLToPath(new URL('./plan.json', import.meta.url)),
  config: createConfig(),
  createConfig,
  loadStory: async () => (await import('./story/story.ts')).tellGeneStrategies,
};

/** The configuration of a worker for this demo. */
export function createConfig({ paceMs = 0, modelFile, model: server }: GeneStrategiesOptions = {}): PlanwrightConfig {
  const asksModel = modelFile !== undefined || server !== undefined;
  return defineConfig({
    capabilities: [trackRecords, recordsNamed].map((capability) => paced(capability, paceMs)),
    tasks: { default: trackRecords.name },
    ...(asksModel && { model: chosenModel({ answers: PLANNER_SCRIPT, paceMs, modelFile, server }) }),
    ...(server !== undefined && { planner: { model: { maxTokens: MAX_REPLY_TOKENS } } }),
  });
}
