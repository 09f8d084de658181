import { readFile } from 'node:fs/promises';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { WORKFLOW_SOURCES } from '../src/worker/index.ts';
import { builtBundle } from './support/built-bundle.ts';
import { codeBelow, readCode, ROOT } from './support/source-files.ts';

/**
 * Measured 1,814 kB with comments, 600 kB of it the SDK, 190 kB what verifies signatures. What is not shared between runs
 * (`preloadModules`) every cached run holds a copy of.
 */
const MOST_CODE = 1_830_000;
const MAP = '//# sourceMappingURL=data:application/json;charset=utf-8;base64,';

const { code: bundle } = await bundleWorkflowCode({ ...WORKFLOW_SOURCES, logger: new DefaultLogger('WARN') });
const [code = '', map = ''] = bundle.split(MAP);

test(`the workflow bundle has at most ${MOST_CODE} bytes of code`, () => {
  expect(code.length).toBeGreaterThan(100_000);
  expect(code.length).toBeLessThan(MOST_CODE);
});

test('the workflow bundle is made of our sandbox folders and the SDK', () => {
  const { sources } = JSON.parse(Buffer.from(map, 'base64').toString()) as { readonly sources: readonly string[] };
  const origins = new Set(sources.filter((source) => !source.startsWith('webpack/')).map(originOf));
  expect([...origins].toSorted()).toEqual([
    '@noble/ed25519',
    '@noble/hashes',
    '@scure/base',
    '@temporalio/common',
    '@temporalio/workflow',
    'long',
    'ms',
    'nexus-rpc',
    'src/plan/groups-by.ts',
    'src/plan/node-id.ts',
    'src/plan/outline',
    'src/plan/text',
    'src/plan/whole-document.ts',
    'src/protocol',
    'src/workflows',
  ]);
});

test('the bundle of the package loads once, for all runs of a worker, all that can be shared', async () => {
  const built = await readFile(await builtBundle(), 'utf8');
  const [, loaded = ''] = /preloadModules=function\(\)\{([^}]*)\}/.exec(built) ?? [];
  expect(loaded.split(',').filter((call) => /^\w+\(\d+\)$/.test(call))).toHaveLength(
    WORKFLOW_SOURCES.preloadModules.length,
  );
  expect(built).toContain('Error.stackTraceLimit=3');
});

/** The package or the folder of a bundled file. */
function originOf(source: string): string {
  const inPackage = /.*\/node_modules\/(@[^/]+\/[^/]+|[^/]+)\//.exec(source)?.[1];
  const [src, folder, inside] = source.slice(ROOT.length).split('/');
  return inPackage ?? [src, folder, ...(folder === 'plan' ? [inside] : [])].join('/');
}

/** Folders that all runs of a worker share must keep nothing between two calls. */
const SHARED = [
  ...codeBelow('src/protocol'),
  ...['run', 'approval', 'loop', 'views'].flatMap((folder) => codeBelow(`src/workflows/${folder}`)),
];
const KEEPS = /^(?:export )?(?:let|var)\s|^(?:export )?const \w+(?:: [^=]+)? = new (?:Map|Set|WeakMap|WeakSet)\(\)/m;

test.each(SHARED)('%s keeps nothing between two calls', (file) => {
  expect(KEEPS.exec(readCode(file))?.[0]).toBeUndefined();
});
