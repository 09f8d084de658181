/** A researcher and a writer: a goal becomes a plan of their tasks, and a model decides their steps. See README.md. */

import { fileURLToPath } from 'node:url';
import { defineConfig, type PlanwrightConfig } from 'planwright';
import { defineAgent, type WorkCapability } from 'planwright/capabilities';
import type { Demo, ModelServer } from '../stage/index.ts';
import { chosenModel, MAX_REPLY_TOKENS } from '../from-goal/index.ts';
import { paced } from '../stage/paced.ts';
import { AGENTS_SCRIPT } from './agents-script.ts';
import { openArchive } from './archive.ts';
import { corpusSearch, corpusTools, reportFile, reportWithdraw } from './capabilities.ts';

interface AgentsOptions {
  /** Pause before each task, in milliseconds, for the eye. Default 0. */
  readonly paceMs?: number;
  /** The file that the archive is. Default `.planwright/agents.jsonl` in the current folder. */
  readonly stateFile?: string;
  /** The file of the calls of its model. Default nowhere. */
  readonly modelFile?: string;
  /** The model to ask in the place of the scripted one, which knows two goals and nothing else. */
  readonly model?: ModelServer;
}

export const demo: Demo = {
  name: 'agents',
  question:
    'A planner gives two researchers and a writer their tasks, a model decides their steps, and the worker dies with replies ' +
    'in its hands. Is anything bought twice, and is anything written that nobody approved?',
  planFile: fileURLToPath(new URL('./plan.json', import.meta.url)),
  config: createConfig(),
  createConfig,
  loadStory: async () => (await import('./story/story.ts')).tellAgents,
};

/** The configuration of a worker for this demo. */
export function createConfig({
  paceMs = 0,
  stateFile,
  modelFile,
  model: server,
}: AgentsOptions = {}): PlanwrightConfig {
  const inTime = (capability: WorkCapability) => paced(capability, paceMs);
  const search = inTime(corpusSearch);
  const tools = corpusTools.map(inTime);
  const archive = openArchive(stateFile);
  const file = inTime(reportFile(archive));
  const researcher = defineAgent({
    name: 'researcher',
    description: 'Finds out what the corpus says, and names the texts it stands on.',
    instructions:
      'Search the corpus, read every text that you found and that speaks of your task, then finish. ' +
      'Add up what belongs together. Name the ids of the texts that you read.',
    capabilities: [search, ...tools],
    limits: { rounds: 10 },
  });
  const writer = defineAgent({
    name: 'writer',
    description: 'Writes a short report from results, and files it.',
    instructions: 'Write from the results that you are given and from nothing else. File the report once, then finish.',
    capabilities: [file],
    limits: { rounds: 5 },
  });
  return defineConfig({
    capabilities: [search, ...tools, file, reportWithdraw(archive)],
    agents: [researcher, writer],
    model: chosenModel({ answers: AGENTS_SCRIPT, paceMs, modelFile, server }),
    ...(server !== undefined && { planner: { model: { maxTokens: MAX_REPLY_TOKENS } } }),
  });
}
