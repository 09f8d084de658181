/** What a plan names is looked at before anybody is asked: files that are read, targets that are written. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createSet } from '../../src/plan/algebra/index.ts';
import { CapabilityError } from '../../src/capabilities/index.ts';
import { createRegistry, lookAtPlan, takeLook } from '../../src/capabilities/builtin/index.ts';
import { UNSEEN_STATE } from '../../src/protocol/index.ts';
import { compilePlan } from '../../src/plan/index.ts';
import { base, GENES, put, useFolders } from './files-rig.ts';
import { compiledPlan } from '../support/plans.ts';
import { tool } from '../support/capabilities.ts';

useFolders();

const file = (path: string, args: object = {}) => ({
  ...{ task: `Read ${path}`, capability: 'records.file' },
  arguments: { path, ...args },
});
const write = (path: string, input: object, args: object = {}) => ({
  ...{ task: `Write ${path}`, capability: 'records.write', input },
  arguments: { path, ...args },
});

/** What is said of a plan whose arguments fit. */
async function look(
  plan: object,
  registry = createRegistry([], { files: { base } }),
  signal = new AbortController().signal,
) {
  const document = 'steps' in plan ? plan : { goal: 'g', plan };
  const compiled = compiledPlan(document, { catalogue: registry });
  const { refusing, warnings = {} } = await lookAtPlan(compiled.plan, compiled.executors ?? {}, registry, signal);
  const again = refusing && compilePlan(document, { catalogue: refusing });
  const issues = again === undefined ? [] : again.ok ? undefined : again.issues;
  return { issues: issues?.map(({ code, path, message }) => `${code} ${path}: ${message}`), warnings };
}

const ALUS = 'chr1\t1\t9\tAluY\nchr1\t30\t40\tAluY\n';
/** Compresses badly, so that a part of it is more than is looked at. */
const lines = (count: number) =>
  Array.from({ length: count }, (_, at) => `chr1\t${at}\t${at + 1 + ((at * 7919) % 977)}\tn${at}\n`).join('');
const LARGE = lines(400_000);

describe('a file that is read', () => {
  test.each<[string, string | Uint8Array | undefined, object, RegExp]>([
    ['that is not there', undefined, {}, /"a\.bed": there is no such file/],
    ['with one name at two places', ALUS, {}, /line 2: The name "AluY" stands at .*id: location/],
    ['of another format', 'not a track\n', {}, /line 1: The line looks like a heading/],
    ['that is not GFF3', GENES, { type: 'gene' }, /type and attribute are for GFF3/],
    ['that is broken gzip', gzipSync(GENES).subarray(0, 20), {}, /cannot be expanded/],
    ['whose large beginning has a name twice', ALUS + LARGE, {}, /The name "AluY" stands at/],
    ['whose large compressed beginning has a name twice', gzipSync(ALUS + LARGE, { level: 0 }), {}, /The name "AluY"/],
  ])('%s: the plan is refused where it names it', async (_, content, args, message) => {
    if (content !== undefined) put('a.bed', content);
    const { issues, warnings } = await look(file('a.bed', args));
    expect(issues).toHaveLength(1);
    expect(issues![0]).toMatch(/^invalid-arguments \$\.plan\.arguments: /);
    expect(issues![0]).toMatch(message);
    expect(warnings).toEqual({});
  });

  test('is refused at each place that names it, and nowhere else', async () => {
    put('b.bed', GENES);
    const plan = {
      operator: 'MINUS',
      left: file('b.bed'),
      right: { operator: 'UNION', left: file('a.bed'), right: file('a.bed') },
    };
    const { issues = [] } = await look(plan);
    expect(issues.map((one) => one.split(':')[0])).toEqual([
      'invalid-arguments $.plan.right.left.arguments',
      'invalid-arguments $.plan.right.right.arguments',
    ]);
  });

  test.each<[string, string | Uint8Array]>([
    ['large.bed', LARGE],
    ['large.bed.gz', gzipSync(LARGE, { level: 0 })],
    ['large.json', `{ "ids": [${' '.repeat(9_000_000)}] }`],
  ])('%s has more than is looked at, and the question says so', async (path, content) => {
    put(path, content);
    const { issues, warnings } = await look(file(path));
    expect([issues, warnings]).toEqual([[], { 0: expect.stringContaining('only its first 8388608 bytes') as string }]);
  });

  test('is not missed where a step of the plan writes it', async () => {
    put('a.bed', GENES);
    const step = (context_key: string, capability: string, path: string, inputs: string[]) => ({
      ...{ context_key, capability, task_objective: context_key, inputs },
      parameters: { path },
    });
    const steps = [
      step('a', 'records.file', 'a.bed', []),
      step('b', 'records.write', './out/new.bed', ['a']),
      step('c', 'records.file', 'out/new.bed', []),
    ];
    expect(await look({ goal: 'g', steps })).toEqual({ issues: [], warnings: {} });
  });
});

describe('a target that is written', () => {
  test.each<[object, RegExp]>([
    [{}, /^"out\.bed" is there already, and stays: .*"replace": true/],
    [{ replace: true }, /^"out\.bed" is there already, and is replaced$/],
  ])('is there already, %j: the question says so', async (args, message) => {
    put('a.bed', GENES);
    put('out.bed', 'chr1\t0\t1\n');
    const { issues, warnings } = await look(write('out.bed', file('a.bed'), args));
    expect([issues, warnings]).toEqual([[], { 1: expect.stringMatching(message) as string }]);
  });

  test('is no file of records: the plan is refused', async () => {
    put('a.bed', GENES);
    put('settings.json', '{"name":"own"}');
    const { issues } = await look(write('settings.json', file('a.bed'), { replace: true }));
    expect(issues).toEqual([expect.stringContaining('"settings.json": what is there is no file of records')]);
  });

  test('is a folder, or would lie below a file: the plan is refused', async () => {
    put('a.bed', GENES);
    mkdirSync(join(base, 'out.bed'));
    const below = write('a.bed/x.bed', write('out.bed', file('a.bed')));
    const { issues } = await look(below);
    expect(issues).toEqual([
      expect.stringMatching(/^invalid-arguments \$\.plan\.arguments: "a\.bed\/x\.bed": .*part of the path is a file/),
      expect.stringMatching(/^invalid-arguments \$\.plan\.input\.arguments: "out\.bed": a folder is there/),
    ]);
  });

  test('in a folder that is made: nothing is said', async () => {
    put('a.bed', GENES);
    expect(await look(write('new/out.bed', file('a.bed')))).toEqual({ issues: [], warnings: {} });
  });
});

describe('a look', () => {
  const looking = (see: (context: { readonly signal: AbortSignal }) => Promise<readonly string[]>) =>
    createRegistry([
      tool({ name: 'reach', look: see }, 'read', 'set', z.object({ place: z.string().default('here') }), () =>
        createSet([{ id: 'there' }]),
      ),
    ]);
  const reach = { task: 'Reach', capability: 'reach' };

  test.each<[Error, object]>([
    [
      new CapabilityError('CRITICAL', 'there is no way'),
      { issues: [expect.stringContaining('there is no way')], warnings: {} },
    ],
    [
      new CapabilityError('RETRIABLE', 'the line is cut'),
      { issues: [], warnings: { 0: expect.stringContaining('the line is cut') as string } },
    ],
    [new TypeError('a slip'), { issues: [], warnings: { 0: 'reach could not look at it before it runs: a slip' } }],
  ])('that throws %s', async (error, said) => {
    expect(
      await look(
        reach,
        looking(() => Promise.reject(error)),
      ),
    ).toEqual(said);
  });

  test('is given the arguments as execute is, once for each that there are', async () => {
    const seen: unknown[] = [];
    const registry = looking((context) => {
      seen.push((context as unknown as { arguments: unknown }).arguments);
      return Promise.resolve([]);
    });
    await look({ operator: 'UNION', left: reach, right: { ...reach, task: 'Reach again' } }, registry);
    expect(seen).toEqual([{ place: 'here' }]);
  });

  test('ends with its signal, whether it obeys it or not', async () => {
    const gone = new AbortController();
    const registry = looking(() => {
      gone.abort(new Error('the run was cancelled'));
      return new Promise(() => {});
    });
    await expect(look(reach, registry, gone.signal)).rejects.toThrow('the run was cancelled');
  });
});

describe('a preview', () => {
  const { signal } = new AbortController();
  const row = (what: string) =>
    Object.fromEntries([
      ['what', what],
      ['now', 'a'],
      // oxlint-disable-next-line unicorn/no-thenable -- a text, which nothing awaits
      ['then', 'b'],
    ]);
  const see = (value: unknown, effect: 'read' | 'idempotent' = 'idempotent') =>
    takeLook({ name: 'set', effect, look: () => Promise.resolve(value as never) }, {}, [], signal);

  test('of 10,000 rows has 20 bounded lines, and control characters are visible', async () => {
    const shows = Array.from({ length: 10_000 }, (_, at) => row(`${at} <b>\n\u001b[2J\u202e${'x'.repeat(500)}`));
    const { preview } = await see({ shows, state: 1 });
    expect(preview?.rows).toHaveLength(20);
    expect(preview?.rows.at(-1)).toBe('and 9,981 more rows');
    for (const line of preview!.rows)
      expect([line.length <= 200, ['\n', '\u001b', '\u202e'].some((one) => line.includes(one))]).toEqual([true, false]);
  });

  test('has the hash of its state alone, whatever the order of keys', async () => {
    const states = await Promise.all(
      [{ a: 1, b: 'secret' }, { b: 'secret', a: 1 }, { a: 2 }].map((state) => see({ shows: [], state })),
    );
    const [one, same, other] = states.map(({ preview }) => preview?.state);
    expect([one === same, one === other, JSON.stringify(states).includes('secret')]).toEqual([true, false, false]);
  });

  test('of a read is none', async () => {
    expect(await see({ shows: [row('x')], state: 1, warnings: ['old'] }, 'read')).toEqual({ warnings: ['old'] });
  });

  test.each<[unknown]>([
    ['text'],
    [{ shows: [] }],
    [{ shows: [{ what: 1 }], state: 1 }],
    [{ shows: [], state: undefined }],
    [[1]],
  ])('that is none is refused: %j', async (value) => {
    await expect(see(value)).rejects.toThrow('neither warnings nor { shows, state }');
  });

  test.each<['read' | 'idempotent', object | undefined]>([
    ['read', undefined],
    ['idempotent', { 0: { state: UNSEEN_STATE, rows: ['could not be looked at'] } }],
  ])('of a look of a %s that failed', async (effect, previews) => {
    const fails = { name: 'reach', look: () => Promise.reject(new Error('the gateway is away')) };
    const registry = createRegistry([tool(fails, effect, 'set', z.object({}), () => createSet([]))]);
    const document = { goal: 'g', plan: { task: 'Reach', capability: 'reach' } };
    const { plan, executors = {} } = compiledPlan(document, { catalogue: registry });
    expect((await lookAtPlan(plan, executors, registry, signal)).previews).toEqual(previews);
  });

  test.each<['read' | 'idempotent', object | undefined]>([
    ['read', undefined],
    ['idempotent', { 1: { state: UNSEEN_STATE, rows: ['is looked at once its arguments are there'] } }],
  ])('of a %s whose arguments come from another step comes later', async (effect, previews) => {
    const looked = tool(
      { name: 'reach', look: () => expect.unreachable() },
      effect,
      'set',
      z.object({ place: z.string() }),
      () => createSet([]),
    );
    const steps = [
      { context_key: 'where', capability: 'ask', task_objective: 'Ask', parameters: { question: 'Where?' } },
      {
        context_key: 'reached',
        capability: 'reach',
        task_objective: 'Reach',
        parameters: { place: 'result_from_step_where' },
      },
    ];
    const registry = createRegistry([looked]);
    const { plan, executors = {} } = compiledPlan({ goal: 'g', steps }, { catalogue: registry });
    expect((await lookAtPlan(plan, executors, registry, signal)).previews).toEqual(previews);
  });

  test('that differs between two looks in a row is a warning', async () => {
    let looks = 0;
    const registry = createRegistry([
      tool(
        { name: 'reach', look: () => Promise.resolve({ shows: [], state: ++looks }) },
        'idempotent',
        'set',
        z.object({}),
        () => createSet([]),
      ),
    ]);
    const { warnings } = await look({ task: 'Reach', capability: 'reach' }, registry);
    expect(warnings).toEqual({ 0: expect.stringContaining('differs between two looks in a row') as string });
  });
});
