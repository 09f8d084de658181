/** A model behind a server that speaks OpenAI's protocol: OpenAI's own, llama.cpp, vLLM, Ollama and many others. */

import { lineOf } from './call-line.ts';
import { checkRequest } from './check-request.ts';
import { openAICalls } from './openai-call.ts';
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
  const call = openAICalls(settings);
  return {
    name,
    async complete(request, options = {}) {
      checkRequest(request);
      return line.through(() => call(request, options), options.signal);
    },
  };
}
