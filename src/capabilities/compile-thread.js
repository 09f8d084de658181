import { parentPort } from 'node:worker_threads';
import { compilePlan } from '../plan/index.ts';

parentPort?.on('message', (work) => parentPort?.postMessage(compileInPart(work)));
parentPort?.postMessage('ready');

/**
 * Compiles a document with the answers so far. The catalogue's functions stay in the main thread, so calls of them
 * become `questions`. The result is final if there are none.
 * @param {import('./compile-document.ts').ThreadWork} work
 * @returns {import('./compile-document.ts').ThreadAnswer}
 */
function compileInPart({ document, options, names, answers }) {
  /** @type {import('./compile-document.ts').CatalogueQuestion[]} */
  const questions = [];
  /** @param {import('./compile-document.ts').CatalogueQuestion} question @returns {any} */
  const answerTo = (question) => {
    const key = answers && JSON.stringify(question);
    if (key !== undefined && answers?.has(key)) return answers.get(key);
    questions.push(question);
    return undefined;
  };
  /** @type {import('../plan/index.ts').Catalogue | undefined} */
  const catalogue = names && {
    ...names,
    executor: (kind, name) => names.executors.get(`${kind} ${name}`)?.executor,
    outputOf: ({ kind, name }) => names.executors.get(`${kind} ${name}`)?.output,
    checkArguments: (executor, args) => answerTo(['checkArguments', executor, args]) ?? [],
    resourceOf: (executor, args, isWhole) => answerTo(['resourceOf', executor, args, isWhole]) ?? { ok: true },
  };
  return { result: compilePlan(document, { ...options, ...(catalogue && { catalogue }) }), questions };
}
