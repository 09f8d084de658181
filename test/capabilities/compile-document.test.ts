import { describe, expect, test } from 'vitest';
import { compileDocument, documentCompiler } from '../../src/capabilities/compile-document.ts';
import { compilePlan, type Catalogue } from '../../src/plan/index.ts';
import { exampleCatalogue } from '../plan/example-catalogue.ts';

/** With an anchor a document is compiled in a thread whatever its size. */
const anchored = (...steps: readonly string[]) =>
  ['goal: &goal g', 'steps:', ...steps.map((step) => `  - { ${step} }`)].join('\n');
const step = (fields: string) => `capability: search, task_objective: t, ${fields}`;

const names = exampleCatalogue({
  capabilities: ['search', 'rank', 'respond', 'clarify'],
  agents: ['Writer'],
  defaultExecutor: { kind: 'capability', name: 'search', version: '1', effect: 'read' },
});
const catalogue: Catalogue = {
  ...names,
  outputOf: ({ name }) => (name === 'rank' ? 'text' : undefined),
  checkArguments: (_, args) => {
    const { query } = (args ?? {}) as { readonly query?: unknown };
    if (query === undefined) return [];
    if (query === 'near') return [{ path: [], message: 'meant', code: 'repaired-syntax', meant: { query: 'meant' } }];
    return query === 'odd' ? [{ path: ['query'], message: 'is odd' }] : [];
  },
  resourceOf: (_, args) => {
    const { query, to } = (args ?? {}) as { readonly query?: unknown; readonly to?: string };
    if (query === 'meant') return { ok: true, resource: 'meant' };
    if (to === 'nowhere') return { ok: false, reason: 'Nowhere is no place' };
    return to === undefined ? { ok: true } : { ok: true, resource: to };
  },
};

describe('a document in a thread is compiled as it is in place', () => {
  test.each<readonly [string, string | Uint8Array | object]>([
    ['what fits', anchored(step('arguments: { query: a }'), 'agent: writer, task_objective: t')],
    ['unknown names', anchored('capability: serach, task_objective: t', 'agent: writr, task_objective: t')],
    ['arguments that do not fit', anchored(step('arguments: { query: odd }'), step('arguments: { query: a }'))],
    ['arguments that are mended, with their resource', anchored(step('arguments: { query: near }'))],
    ['resources', anchored(step('arguments: { to: here }'), step('arguments: { to: there }'))],
    ['a resource that is not known', anchored(step('arguments: { to: nowhere }'))],
    [
      'operands that are no sets',
      'goal: &goal g\nplan: { op: or, left: { task: A, capability: rank }, right: { task: B } }',
    ],
    ['a broken text', 'goal: &goal g\nsteps: ['],
    ['bytes', new TextEncoder().encode(anchored(step('arguments: { query: a }')))],
    [
      'a large object',
      { goal: 'g', steps: Array.from({ length: 400 }, (_, at) => ({ task: `${at} ${'x'.repeat(800)}` })) },
    ],
  ])('%s', async (_, document) => {
    for (const options of [{ catalogue }, { capabilities: ['search'], contextKeys: ['a'] }, {}]) {
      expect(await compileDocument(document, options)).toEqual(compilePlan(document, options));
    }
  });
});

const threadOfCode = (code: string) => {
  const text = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', () => { ${code} });
    parentPort.postMessage('ready');`;
  return new URL(`data:text/javascript,${encodeURIComponent(text)}`);
};

describe('a compiler', () => {
  const document = anchored(step('arguments: {}'));

  test.each([
    ['that blocks', 'for (;;);', 'it takes more than 300 ms'],
    ['that takes all memory', 'const all = []; for (;;) all.push(new Array(1e5).fill(Math.random()));', 'of memory'],
    ['that ends its thread', 'process.exit(1);', 'its thread has ended'],
  ])('%s refuses its document, and this process goes on', async (_, code, words) => {
    const compile = documentCompiler(threadOfCode(code), { ms: code.startsWith('const') ? 60_000 : 300, heapMb: 64 });
    let beats = 0;
    const beating = setInterval(() => beats++, 10);
    const blocked = compile(document);
    // Its own thread is another one, and a small document needs none.
    expect(await compile({ goal: 'g', plan: { task: 'A' } })).toMatchObject({ ok: true });
    expect(await blocked).toMatchObject({ ok: false, issues: [{ code: 'too-large', path: '$' }] });
    expect(JSON.stringify(await compile(document))).toContain(words);
    clearInterval(beating);
    expect(beats).toBeGreaterThan(1);
  });

  test('stops with the signal of its caller', async () => {
    const controller = new AbortController();
    const waiting = documentCompiler(threadOfCode('for (;;);'))(document, {}, controller.signal);
    controller.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
  });
});
