/** The law of the house: which room imports what, no circles, names, lengths, and how the workflow sandbox starts activities. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { NODE_KINDS } from '../src/contract/index.ts';
import { ROOT, codeBelow, filesBelow, importsOf, readCode, readSource, type Import } from './support/source-files.ts';

/** What a room may import. `types` come on top of `values`, as types only; `packages` by name, `node:` for Node's own. */
interface Law {
  readonly values: readonly string[];
  readonly types: readonly string[];
  readonly packages: readonly string[] | 'any';
}

const pureRooms = ['text', 'outline', 'document', 'contract', 'algebra', 'plan', 'run', 'policy'];
const activityRooms = [...pureRooms, 'results', 'planner', 'capabilities'];
const workerRooms = [...activityRooms, 'identity', 'activities', 'config', 'client'];
const belowFrontEnds = ['drafts', 'worker', 'dev-server', 'terminal', 'stage', 'demos', 'project', 'follow'];
const everyRoom = [...workerRooms, ...belowFrontEnds, 'cli', 'web', 'mcp'];

const LAWS: { readonly [room: string]: Law } = {
  text: { values: [], types: [], packages: [] },
  outline: { values: ['text'], types: [], packages: [] },
  document: { values: [], types: [], packages: [] },
  algebra: { values: ['text'], types: [], packages: [] },
  plan: {
    values: ['text', 'outline', 'document', 'algebra'],
    types: [],
    packages: ['@noble/hashes', 'htmlparser2', 'jsonrepair', 'yaml'],
  },
  contract: { values: ['text'], types: ['plan'], packages: [] },
  run: { values: ['text', 'outline', 'document', 'contract'], types: ['plan'], packages: [] },
  policy: { values: ['text', 'contract', 'plan', 'run'], types: [], packages: [] },
  identity: {
    values: ['text', 'contract'],
    types: [],
    packages: ['@noble/ed25519', '@noble/hashes', '@scure/base', 'jose', 'node:'],
  },
  workflows: {
    values: ['text', 'contract', 'run', 'identity'],
    types: ['plan', 'policy'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
  },
  results: {
    values: ['text', 'contract', 'algebra', 'plan'],
    types: [],
    packages: ['node:', '@gmod/gff', '@gmod/bed', '@aws-sdk/client-s3'],
  },
  planner: {
    values: ['text', 'contract', 'plan', 'run', 'policy'],
    types: ['capabilities', 'results'],
    packages: ['zod', 'openai', 'node:'],
  },
  capabilities: {
    values: ['text', 'contract', 'plan', 'algebra', 'results'],
    types: ['planner', 'drafts'],
    packages: ['zod', 'htmlparser2', 'mathjs', 'minisearch', '@modelcontextprotocol/client', 'node:'],
  },
  drafts: { values: ['text', 'contract', 'plan', 'results'], types: [], packages: ['node:'] },
  activities: {
    values: [...activityRooms, 'identity'],
    types: [],
    packages: ['@temporalio/activity', '@temporalio/client', 'node:'],
  },
  config: {
    values: ['text', 'contract', 'run', 'identity'],
    types: ['plan', 'capabilities', 'planner', 'policy', 'results'],
    packages: ['jiti', 'zod', 'node:'],
  },
  client: {
    values: ['text', 'outline', 'contract', 'plan', 'run', 'results', 'identity', 'follow'],
    types: ['workflows'],
    packages: ['@temporalio/client', '@temporalio/common', '@temporalio/envconfig', 'node:'],
  },
  worker: {
    values: [...workerRooms, 'drafts'],
    types: [],
    packages: ['@temporalio/worker', '@temporalio/envconfig', 'node:'],
  },
  'dev-server': {
    values: ['text', 'contract'],
    types: [],
    packages: ['@temporalio/client', '@temporalio/testing', 'node:'],
  },
  terminal: { values: ['text'], types: [], packages: ['node:'] },
  stage: {
    values: ['text', 'outline', 'contract', 'plan', 'results', 'capabilities', 'client', 'dev-server', 'terminal'],
    types: ['activities', 'config'],
    packages: ['@temporalio/client', 'node:'],
  },
  demos: {
    values: [...activityRooms, 'config', 'client', 'worker', 'terminal', 'stage'],
    types: [],
    packages: ['@temporalio/client', '@temporalio/common', '@temporalio/worker', 'zod', 'node:'],
  },
  project: {
    values: ['text', 'contract', 'results', 'capabilities', 'config', 'client', 'drafts', 'demos'],
    types: [],
    packages: ['@temporalio/client', 'node:'],
  },
  follow: { values: ['contract'], types: ['client'], packages: [] },
  cli: { values: everyRoom, types: [], packages: 'any' },
  web: { values: everyRoom, types: [], packages: 'any' },
  mcp: { values: everyRoom, types: [], packages: 'any' },
  /** src/index.ts. */
  '': { values: everyRoom, types: [], packages: 'any' },
};

/** Folders of a room that have a door as well, and which of them each may enter. */
const FOLDERS: { readonly [folder: string]: readonly string[] } = {
  'cli/commands': ['cli/actions', 'cli/options', 'cli/reading'],
  'cli/actions': ['cli/options', 'cli/reading', 'cli/showing'],
  'cli/reading': ['cli/options', 'cli/showing'],
  'cli/options': [],
  'cli/showing': [],
};

const ENVIRONMENT_READERS = ['cli', 'worker', 'config', 'dev-server', 'terminal'];
const FORBIDDEN_NAME = /(^|[-._])(core|shared|commons?|utils?|helpers?|managers?|data|info)([-._]|$)/i;
const MOST_LINES = 400;
const MANY_LINES = 250;

const sources = codeBelow('src');
const imports = sources.flatMap(importsOf);
const doors = new Set(sources.filter((file) => file.endsWith('/index.ts')));
const roomOf = (path: string) => /^src\/([^/]+)\//.exec(path)?.[1] ?? '';

test('every room has a law', () => {
  expect([...new Set(sources.map(roomOf))].filter((room) => LAWS[room] === undefined)).toEqual([]);
  expect(imports.length).toBeGreaterThan(sources.length);
});

describe('the import law', () => {
  test.each(imports.map((one) => [`${one.file}: ${one.kind} ${one.specifier}`, one] as const))('%s', (_name, one) => {
    expect(breach(one)).toBeUndefined();
  });

  test.each<[file: string, specifier: string, kind: Import['kind'], allowed: boolean]>([
    ['src/algebra/a.ts', './b.ts', 'value', true],
    ['src/algebra/a.ts', '../plan/index.ts', 'type', false],
    ['src/algebra/a.ts', 'node:fs', 'value', false],
    ['src/algebra/a.ts', '../text/index.ts', 'value', true],
    ['src/text/a.ts', '../algebra/index.ts', 'type', false],
    ['src/text/a.ts', 'node:util', 'value', false],
    ['src/plan/a.ts', '@noble/hashes/sha2.js', 'value', true],
    ['src/plan/a.ts', 'yamlish', 'value', false],
    ['src/run/a.ts', '../plan/index.ts', 'type', true],
    ['src/run/a.ts', '../plan/index.ts', 'value', false],
    ['src/run/a.ts', '../plan/issue.ts', 'type', true],
    ['src/policy/a.ts', '../plan/issue.ts', 'value', false],
    ['src/workflows/a.ts', '../activities/index.ts', 'value', false],
    ['src/workflows/a.ts', '../identity/index.ts', 'value', false],
    ['src/workflows/a.ts', '../identity/token/index.ts', 'value', true],
    ['src/contract/a.ts', '../run/index.ts', 'type', false],
    ['src/worker/a.ts', '../workflows/index.ts', 'value', false],
    ['src/cli/actions/a.ts', '../../worker/index.ts', 'value', true],
    ['src/cli/actions/a.ts', '../../worker/a.ts', 'value', false],
    ['src/cli/actions/a.ts', '../showing/index.ts', 'value', true],
    ['src/cli/actions/a.ts', '../showing/a.ts', 'value', false],
    ['src/cli/actions/a/b.ts', '../c.ts', 'value', true],
    ['src/cli/actions/a.ts', '../cli-error.ts', 'value', true],
    ['src/cli/program.ts', './commands/a.ts', 'value', false],
    ['src/cli/showing/a.ts', '../actions/index.ts', 'type', false],
    ['src/cli/actions/a.ts', '../../demos/gene-strategies/index.ts', 'value', false],
    ['src/demos/a/story/b.ts', '../../../stage/index.ts', 'value', true],
    ['src/stage/a.ts', '../demos/index.ts', 'type', false],
    ['src/index.ts', './plan/index.ts', 'value', true],
    ['src/workflows/a.js', '../text/b.js', 'value', true],
    ['src/workflows/a.ts', '../text/b.js', 'value', false],
    ['src/plan/tree/a.ts', '../steps/read-step.ts', 'value', false],
    ['src/plan/tree/a.ts', '../steps/read-step.ts', 'type', true],
    ['src/plan/tree/a.ts', '../steps/index.ts', 'value', true],
    ['src/plan/a.ts', './steps/read-step.ts', 'value', false],
    ['src/plan/steps/a.ts', './read-step.ts', 'value', true],
    ['src/plan/steps/a.ts', '../read-field.ts', 'value', true],
  ])('reads %s importing %s as %s', (file, specifier, kind, allowed) => {
    const target = specifier.startsWith('.') ? join(file, '..', specifier) : undefined;
    expect(breach({ file, specifier, kind, ...(target !== undefined && { target }) }) === undefined).toBe(allowed);
  });
});

/** What is wrong with an import, if anything. A folder inside a room that has a door is entered through it, as a room is. */
function breach({ file, specifier, kind, target }: Import): string | undefined {
  const from = roomOf(file);
  const law = LAWS[from];
  if (law === undefined) return `${from} has no law`;
  if (target === undefined) {
    const allowed = law.packages === 'any' || law.packages.some((name) => isOfPackage(specifier, name));
    return allowed ? undefined : `${from} may not use ${specifier}`;
  }
  const to = roomOf(target);
  if (to === from) {
    const passed = kind === 'type' ? undefined : doorPassed(file, target);
    return folderBreach(file, target) ?? (passed && `${passed} is entered through its index.ts`);
  }
  if (!law.values.includes(to) && !(kind === 'type' && law.types.includes(to))) {
    return `${from} may not import ${kind}s from ${to}`;
  }
  // The sandbox has no Node: of who speaks it may know the pure half alone.
  const door = from === 'workflows' && to === 'identity' ? 'identity/token' : to;
  // What is loaded with `require` reads no index.ts.
  const isPlain = file.endsWith('.js') && target.endsWith('.js');
  const byDoor = kind === 'type' || isPlain || target === `src/${door}/index.ts`;
  return byDoor ? undefined : `${door} is entered through its index.ts`;
}

/** The folder inside a room that an import from outside of it reaches into past its index.ts. */
function doorPassed(file: string, target: string): string | undefined {
  const parts = target.split('/');
  const above = parts.slice(2, -1).map((_, depth) => parts.slice(0, depth + 3).join('/'));
  const folder = above.find((each) => !file.startsWith(`${each}/`) && doors.has(`${each}/index.ts`));
  return target === `${folder}/index.ts` ? undefined : folder;
}

/** The same inside a room whose folders have doors. */
function folderBreach(file: string, target: string): string | undefined {
  const [from, to] = [file, target].map((path) => Object.keys(FOLDERS).find((one) => path.startsWith(`src/${one}/`)));
  if (to === undefined || to === from) return undefined;
  if (from !== undefined && FOLDERS[from]?.includes(to) !== true) return `${from} may not import from ${to}`;
  return target === `src/${to}/index.ts` ? undefined : `${to} is entered through its index.ts`;
}

function isOfPackage(specifier: string, name: string): boolean {
  return name === 'node:' ? specifier.startsWith(name) : specifier === name || specifier.startsWith(`${name}/`);
}

describe('import circles', () => {
  test('src has none between files', () => {
    expect(circlesAmong(imports)).toEqual([]);
  });

  const value = (file: string, target: string): Import => ({ file, target, specifier: target, kind: 'value' });
  test.each<[name: string, planted: readonly Import[], circles: readonly string[]]>([
    ['a chain', [value('a', 'b'), value('b', 'c'), value('a', 'c')], []],
    ['two files', [value('a', 'b'), value('b', 'a')], ['a b']],
    ['a file and itself', [value('a', 'a')], ['a']],
    ['a circle behind a chain', [value('a', 'b'), value('b', 'c'), value('c', 'd'), value('d', 'b')], ['b c d']],
    ['a circle of which one side is types only', [value('a', 'b'), { ...value('b', 'a'), kind: 'type' }], []],
    ['two circles', [value('a', 'b'), value('b', 'a'), value('c', 'd'), value('d', 'c')], ['a b', 'c d']],
  ])('are seen: %s', (_name, planted, circles) => {
    expect(circlesAmong(planted)).toEqual(circles);
  });
});

/** The files of each circle, in order, with spaces between. An import of types alone leaves nothing behind. */
function circlesAmong(list: readonly Import[]): string[] {
  const targets = new Map<string, Set<string>>();
  for (const { file, target, kind } of list) {
    if (kind === 'value' && target !== undefined) targets.set(file, (targets.get(file) ?? new Set()).add(target));
  }
  const reach = new Map([...targets.keys()].map((file) => [file, reachedBy(file, targets)]));
  const round = [...reach].filter(([file, reached]) => reached.has(file)).map(([file]) => file);
  const circles = round.map((file) =>
    round.filter((other) => reach.get(file)?.has(other) && reach.get(other)?.has(file)),
  );
  return [...new Set(circles.map((files) => files.toSorted().join(' ')))];
}

/** What a file imports, and what that imports; itself only if it is in a circle. */
function reachedBy(file: string, targets: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const reached = new Set<string>();
  const next = [...(targets.get(file) ?? [])];
  for (let one = next.pop(); one !== undefined; one = next.pop()) {
    if (reached.has(one)) continue;
    reached.add(one);
    next.push(...(targets.get(one) ?? []));
  }
  return reached;
}

describe('names', () => {
  // A fixture is named after what stands in it.
  const named = filesBelow('src', 'test', 'bench', 'scripts').filter((file) => !file.startsWith('test/fixtures/'));
  const parts = [...new Set(named.flatMap((file) => file.split('/')))];
  test('no file or folder has a word that fits everything', () => {
    expect(parts.filter((part) => FORBIDDEN_NAME.test(part))).toEqual([]);
  });
  test.each(['utils.ts', 'plan-helper.ts', 'core', 'node-info.test.ts'])('%s is such a name', (name) => {
    expect(name).toMatch(FORBIDDEN_NAME);
  });
  test.each(['encore.ts', 'information.ts', 'database.ts'])('%s is none', (name) => {
    expect(name).not.toMatch(FORBIDDEN_NAME);
  });
});

test('the environment is read in few rooms', () => {
  const readers = sources.filter((file) =>
    /\bprocess\s*(\.\s*env\b|\[\s*['"]env)|\benv\b[^;]*from 'node:process'/.test(readCode(file)),
  );
  expect(readers).not.toEqual([]);
  expect(readers.filter((file) => !ENVIRONMENT_READERS.includes(roomOf(file)))).toEqual([]);
});

test(`no file is longer than ${MOST_LINES} lines`, () => {
  const lengths = codeBelow('src', 'test', 'bench', 'scripts')
    .map((file) => ({ file, lines: readSource(file).split('\n').length }))
    .filter(({ lines }) => lines > MANY_LINES);
  for (const { file, lines } of lengths) console.info(`${file} has ${lines} lines: look twice`);
  expect(lengths.filter(({ lines }) => lines > MOST_LINES)).toEqual([]);
});

describe('the workflow sandbox', () => {
  test('reaches no package but the SDK and what verifies signatures, and no Node', () => {
    const { files, packages } = reachedFrom(
      'src/workflows/index.ts',
      'src/workflows/unheard.ts',
      'src/workflows/reserved-names.ts',
      'src/workflows/large-updates.ts',
      'src/workflows/payload-converter.js',
      'src/workflows/failure-converter.js',
    );
    expect(files.length).toBeGreaterThan(2);
    const allowed = ['workflows', 'identity'].flatMap((room) => LAWS[room]?.packages ?? []);
    expect(packages.filter((name) => !allowed.some((one) => one !== 'node:' && isOfPackage(name, one)))).toEqual([]);
  });

  const starting = codeBelow('src/workflows').filter((file) => /\bschedule(?:Local)?Activity\b/.test(readCode(file)));
  const activitiesIn = (file: string) =>
    [...new Set([...readCode(file).matchAll(/\bACTIVITIES\.(\w+)/g)].map(([, name]) => name))].toSorted();

  test('starts nodes at one place, which asks mayRun', () => {
    expect(starting.toSorted()).toEqual(['src/workflows/reach.ts', 'src/workflows/starters.ts']);
    // An agent's task is a run of its own.
    const kinds = NODE_KINDS.filter((kind) => kind !== 'agent');
    expect(activitiesIn('src/workflows/starters.ts')).toEqual(kinds.toSorted());
    expect(readCode('src/workflows/starters.ts')).toMatch(/\bmayRun\(/);
  });

  test('reaches out beside them with no effect above read', () => {
    expect(activitiesIn('src/workflows/reach.ts')).toEqual([
      'compile',
      'decide',
      'keep',
      'keys',
      'load',
      'plan',
      'report',
      'save',
      'store',
    ]);
  });

  test('starts none that is local: what a query does beside one does not replay', () => {
    expect(codeBelow('src/workflows').filter((file) => /\bLocalActiv/i.test(readCode(file)))).toEqual([]);
  });

  test('starts activities in no other way', () => {
    const otherWays = /\b(proxyActivities|proxyLocalActivities|ActivityFunctionWithOptions|executeChild|startChild)\b/;
    expect(codeBelow('src/workflows').filter((file) => otherWays.test(readCode(file)))).toEqual([
      'src/workflows/starters.ts',
    ]);
    expect(readCode('src/workflows/starters.ts').match(otherWays)?.[0]).toBe('startChild');
    const naming = codeBelow('src/workflows').filter((file) =>
      /\bACTIVITIES\b|['"](?:runTask|makeQuestion|combine)['"]/.test(readCode(file)),
    );
    expect(naming.toSorted()).toEqual(starting.toSorted());
  });
});

/** Everything that these files import as values, and what those import. */
function reachedFrom(...start: readonly string[]): { files: string[]; packages: string[] } {
  const files = [...start];
  const packages = new Set<string>();
  for (const file of files) {
    for (const { kind, specifier, target } of importsOf(file)) {
      if (kind === 'type') continue;
      if (target === undefined) packages.add(specifier);
      else if (!files.includes(target)) files.push(target);
    }
  }
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  return { files, packages: [...packages] };
}
