/** A model behind a server that speaks OpenAI's protocol: OpenAI's own, llama.cpp, vLLM, Ollama and many others. */

import { lineOf } from './call-line.ts';
import { checkRequest } from './check-request.ts';
import { checkSettings, type OpenAISettings } from './settings.ts';
import type { ModelClient } from './model-client.ts';

/**
 * One model of one server. Answers are streamed; a call is never tried again by itself; the key is in no error and no reply.
 * @throws TypeError when a setting does not fit, which is a mistake of the program or its config.
 * @example
 * const model = openAIClient({ baseURL: 'http://127.0.0.1:8080/v1', name: 'local', api: 'chat', format: 'json_schema' });
 * const { text } = await model.complete({ messages: [{ role: 'user', content: 'Say yes.' }] });
 */
export function openAIClient(settings: OpenAISettings): ModelClient {
  checkSettings(settings);
  const { name, line = lineOf() } = settings;
  // Loading the package takes longer than all else here; a project that asks no model need not wait for it.
  let calls: ReturnType<typeof load> | undefined;
  const load = async () => (await import('./openai-call.ts')).openAICalls(settings);
  return {
    name,
    async complete(request, options = {}) {
      checkRequest(request);
      const call = await (calls ??= load());
      return line.through(() => call(request, options), options.signal);
    },
  };
}
