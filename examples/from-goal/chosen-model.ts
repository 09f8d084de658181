/** The model that a demo asks: the double that it brings along, or a real one that its user names. */

import { openAIClient, type ModelClient } from 'planwright';
import type { ModelServer } from '../stage/index.ts';
import { ledgeredModel } from './ledgered-model.ts';
import { scriptedModel, type ScriptedAnswer } from './scripted-model.ts';

interface ModelChoice {
  readonly answers: readonly ScriptedAnswer[];
  readonly paceMs: number;
  /** The file of its calls; none by default. */
  readonly modelFile?: string | undefined;
  readonly server?: ModelServer | undefined;
}

/** Tokens of one reply of a real model: one that does not find an end would write until its time is over. */
export const MAX_REPLY_TOKENS = 4000;

/** A server is asked at chat completions, with the key that the environment has for servers that are named. */
export function chosenModel({ answers, paceMs, modelFile, server }: ModelChoice): ModelClient {
  const client = server === undefined ? scriptedModel(answers, paceMs) : served(server);
  return modelFile === undefined ? client : ledgeredModel(client, modelFile);
}

function served({ baseURL, name }: ModelServer): ModelClient {
  const { PLANWRIGHT_MODEL_KEY: apiKey } = process.env;
  const key = apiKey ? { apiKey } : {};
  return openAIClient({ baseURL, name, api: 'chat', format: 'json_schema', ...key });
}
