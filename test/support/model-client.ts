/** A client of a double of a model server. */

import { expect } from 'vitest';
import { ModelError, openAIClient, type ModelRequest, type OpenAISettings } from '../../src/models/index.ts';
import { startModelServer } from './model-server.ts';

/** A client of a server that answers so, with the notes that it has told. */
export async function startClient(answers: Parameters<typeof startModelServer>[0], more: Partial<OpenAISettings> = {}) {
  const server = await startModelServer(answers);
  const client = openAIClient({ baseURL: server.baseURL, name: 'tiny', api: 'chat', format: 'json_schema', ...more });
  const notes: string[] = [];
  const ask = (request: ModelRequest) => client.complete(request, { onNote: (note) => notes.push(note) });
  const failing = async (request: ModelRequest): Promise<ModelError> => {
    const failed = await ask(request).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ModelError);
    return failed as ModelError;
  };
  return { server, client, notes, ask, failing };
}
