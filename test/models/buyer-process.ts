/** Buys a reply, and dies between the moment in which it is kept and the one in which it could be told. */

import { journaled, openAIClient } from '../../src/models/index.ts';
import { createFileStore } from '../../src/store/index.ts';

const { FOLDER = '', BASE_URL = '', KEY = '' } = process.env;
const store = createFileStore(FOLDER);
const model = openAIClient({ baseURL: BASE_URL, name: 'tiny', api: 'chat', format: 'none' });
const deadly = {
  ...store,
  async bind(name: string, ref: string): Promise<string> {
    await store.bind(name, ref);
    process.kill(process.pid, 'SIGKILL');
    return new Promise(() => undefined);
  },
};
await journaled(model, { key: KEY, store: deadly }, { messages: [{ role: 'user', content: 'What is it worth?' }] });
