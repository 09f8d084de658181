/** Buys a reply, and dies between the moment in which it is kept and the one in which it could be told. */

import { journaled, openAIClient } from '../../src/models/index.ts';
import { createFileStore, resultsIn, type ResultStore } from '../../src/store/index.ts';

const { FOLDER = '', BASE_URL = '', KEY = '' } = process.env;
const store = resultsIn(createFileStore(FOLDER), 'calls');
const model = openAIClient({ baseURL: BASE_URL, name: 'tiny', api: 'chat', format: 'none' });
const deadly: ResultStore = {
  ...store,
  async enter(name, bytes) {
    await store.enter(name, bytes);
    process.kill(process.pid, 'SIGKILL');
    return new Promise(() => undefined);
  },
};
await journaled(model, { key: KEY, store: deadly }, { messages: [{ role: 'user', content: 'What is it worth?' }] });
