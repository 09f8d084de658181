/** The law of imports, types included; no circles; what the sandbox reaches; one place that starts nodes. */

import { describe, expect, test } from 'vitest';
import { codeBelow, importCircles, importsOf, reachedFrom, readCode, type Import } from './support/source-files.ts';

const BASE = ['plan', 'protocol'];
const MODELS = [...BASE, 'store', 'models'];
const CLIENT = [...MODELS, 'capabilities', 'planner', 'workflows', 'activities', 'worker', 'client'];
const OPERATIONS = [...CLIENT, 'config', 'operations'];
/** What each folder of src may import, beside itself. `workflows/run` stands for its pure part. */
const MAY_IMPORT: { readonly [folder: string]: readonly string[] } = {
  plan: [],
  protocol: ['plan'],
  workflows: BASE,
  store: BASE,
  models: [...BASE, 'store'],
  capabilities: MODELS,
  planner: [...MODELS, 'capabilities'],
  activities: [...MODELS, 'capabilities', 'planner', 'workflows/run'],
  worker: [...MODELS, 'capabilities', 'planner', 'workflows', 'activities'],
  client: [...BASE, 'store'],
  config: CLIENT,
  operations: [...CLIENT, 'config'],
  page: OPERATIONS,
  mcp: OPERATIONS,
  cli: [...OPERATIONS, 'page', 'mcp'],
};
/** The packages of the folders whose code runs in the sandbox, or whose answer depends on nothing else: no file, no clock, no network. */
const PACKAGES: { readonly [folder: string]: readonly string[] } = {
  plan: ['node:crypto', 'domhandler', 'get-east-asian-width', 'htmlparser2', 'jsonc-parser', 'jsonrepair', 'yaml'],
  workflows: ['@temporalio/workflow', '@temporalio/common'],
};
/** Loaded into each workflow by the worker, beside the workflows themselves. */
const LOADED = [
  'sdk/speculative-queries.ts',
  'sdk/activations.ts',
  'sdk/undecodable.ts',
  'payload-converter.js',
  'failure-converter.js',
];
const SHELL = /^src\/workflows\/(sdk\/)?[^/]+$/;

const sources = codeBelow('src');
const imports = sources.flatMap(importsOf);
const folderOf = (path: string) => path.split('/')[1] ?? '';

describe('the import law', () => {
  test('every file lies in a folder that has a law, or is a door of the package', () => {
    const folders = new Set(sources.map(folderOf));
    expect([...folders].filter((name) => !name.endsWith('.ts')).toSorted()).toEqual(Object.keys(MAY_IMPORT).toSorted());
    expect(imports.length).toBeGreaterThan(sources.length);
  });

  test('no import breaks it', () => {
    expect(imports.flatMap((one) => breach(one) ?? [])).toEqual([]);
  });

  test.each<[file: string, specifier: string, target: string | undefined, allowed: boolean]>([
    ['src/plan/a.ts', '../protocol/b.ts', 'src/protocol/b.ts', false],
    ['src/protocol/a.ts', '../plan/b.ts', 'src/plan/b.ts', true],
    ['src/workflows/a.ts', '../store/b.ts', 'src/store/b.ts', false],
    ['src/workflows/a.ts', 'node:fs', undefined, false],
    ['src/workflows/a.ts', 'zod', undefined, false],
    ['src/activities/a.ts', '../workflows/run/b.ts', 'src/workflows/run/b.ts', true],
    ['src/activities/a.ts', '../workflows/b.ts', 'src/workflows/b.ts', false],
    ['src/planner/a.ts', '../activities/b.ts', 'src/activities/b.ts', false],
    ['src/client/a.ts', '../capabilities/b.ts', 'src/capabilities/b.ts', false],
    ['src/page/a.ts', '../cli/b.ts', 'src/cli/b.ts', false],
    ['src/cli/a.ts', '../page/b.ts', 'src/page/b.ts', true],
    ['src/cli/a.ts', '../index.ts', 'src/index.ts', false],
  ])('%s importing %s', (file, specifier, target, allowed) => {
    const one: Import = { file, specifier, kind: 'type', ...(target !== undefined && { target }) };
    expect(breach(one) === undefined).toBe(allowed);
  });
});

/** What is wrong with an import, if anything. */
function breach({ file, specifier, target }: Import): string | undefined {
  const from = folderOf(file);
  if (from.endsWith('.ts')) return undefined;
  if (target === undefined) {
    const packages = PACKAGES[from];
    const allowed = packages === undefined || packages.some((name) => `${specifier}/`.startsWith(`${name}/`));
    return allowed ? undefined : `${file} may not use ${specifier}`;
  }
  // The type of a run is read-only at that door, and of the functions there only takeTurn changes one.
  if (SHELL.test(file) && target.startsWith('src/workflows/run/') && target !== 'src/workflows/run/index.ts')
    return `${file} sees a run through src/workflows/run/index.ts alone, not ${target}`;
  const allowed = [from, ...(MAY_IMPORT[from] ?? [])].some((name) => target.startsWith(`src/${name}/`));
  return allowed ? undefined : `${file} may not import ${target}`;
}

test('no files import each other, types included', () => {
  expect(importCircles(sources)).toEqual([]);
});

test('the sandbox reaches no package but the SDK and what verifies signatures, and no Node', () => {
  const { files, packages } = reachedFrom('src/workflows/index.ts', ...LOADED.map((name) => `src/workflows/${name}`));
  expect(files.length).toBeGreaterThan(LOADED.length);
  const allowed = /^@temporalio\/(workflow|common)|^@noble\/(ed25519|hashes)|^@scure\/base/;
  expect(packages.filter((name) => !allowed.test(name))).toEqual([]);
});

describe('nodes are started at one place', () => {
  const starting = /\b(schedule(Local)?Activity|proxy(Local)?Activities|startChild|executeChild)\b/;
  const starters = 'src/workflows/starters.ts';
  test('nothing else starts an activity or a child, but what the run itself needs', () => {
    const found = codeBelow('src/workflows').filter((file) => starting.test(readCode(file)));
    // A node's own activity starts the activity workflow, after everything that is asked before a node begins.
    const ofNode = 'src/workflows/activity-workflow.ts';
    expect(found.toSorted()).toEqual([ofNode, 'src/workflows/call-activity.ts', starters]);
    expect(readCode('src/workflows/call-activity.ts')).not.toMatch(
      /\b(runTask|makeQuestion|combine|runPart|startChild)\b/,
    );
  });
});

test('the examples import the doors of the package alone', () => {
  // Of `ai` a demo needs only a type, which no build keeps.
  const allowed = /^(planwright(\/\w+)?|@temporalio\/\w+|zod|minisearch|vitest|ai|node:[\w/]+)$/;
  const wrong = codeBelow('examples')
    .flatMap(importsOf)
    .filter(({ specifier, target }) => !(target?.startsWith('examples/') ?? allowed.test(specifier)));
  expect(wrong).toEqual([]);
});
