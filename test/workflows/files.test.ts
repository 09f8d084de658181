/** A plan over files, in a folder without a config: what it writes is what bedtools says. */

import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { bareProject } from '../../src/config/project/index.ts';
import { NO_BEDTOOLS } from '../support/bedtools.ts';
import { filesPage } from '../support/files-page.ts';
import type { NodesPage, PlanView } from '../../src/protocol/index.ts';
import type { Rig } from '../support/rig.ts';
import { fileFolder } from '../support/folders.ts';
import { sharedRig } from '../support/rig.ts';

const folder = fileFolder('bare');
const rig = await sharedRig({ capabilities: [] });

beforeAll(async () => {
  await rig.stopWorker();
  await rig.startWorker(await (await bareProject(folder)).openRegistry());
});

const SEQUENCES = ['chr1', 'chr10', 'chr2', 'chrX'];

/** The same numbers at every run. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface Place {
  readonly name: string;
  readonly sequence: string;
  readonly start: number;
  readonly end: number;
  readonly strand: string;
}

/** Places of a kind, 0-based, half-open. */
function places(kind: string, count: number, longest: number, seed: number): Place[] {
  const below = chance(seed);
  return Array.from({ length: count }, (_, index) => {
    const start = below(200_000);
    const [sequence, strand] = [SEQUENCES[below(SEQUENCES.length)]!, ['+', '-', '.'][below(3)]!];
    return { name: `${kind}${index}`, sequence, start, end: start + 1 + below(longest), strand };
  });
}

const bedOf = (list: readonly Place[]) =>
  list
    .map(({ name, sequence, start, end, strand }) => [sequence, start, end, name, 0, strand].join('\t') + '\n')
    .join('');

/** Each gene with a CDS of two lines, which is no gene. */
const gff3Of = (list: readonly Place[]) =>
  [
    '##gff-version 3\n',
    ...list.flatMap(({ name, sequence, start, end, strand }) =>
      [['gene', name], ...Array.from({ length: 2 }, () => ['CDS', `cds-${name}`])].map(
        ([type, id], line) =>
          `${[sequence, '.', type, start + 1, line === 1 ? start + 1 : end, '.', strand, '.', `ID=${id}`].join('\t')}\n`,
      ),
    ),
  ].join('');

const genes = places('gene', 600, 4000, 1);
const peaks = places('peak', 300, 300, 2);
const repeats = places('repeat', 300, 300, 3);

const bedtools = (args: string, input?: string) =>
  execFileSync('bedtools', args.split(' '), { cwd: folder, encoding: 'utf8', ...(input !== undefined && { input }) });

test('the plan of docs/files.md writes byte by byte what bedtools says', async (context) => {
  context.skip(NO_BEDTOOLS !== '', NO_BEDTOOLS);
  writeFileSync(join(folder, 'genes.gff3'), gff3Of(genes));
  writeFileSync(join(folder, 'peaks.bed.gz'), gzipSync(bedOf(peaks)));
  writeFileSync(join(folder, 'repeats.bed'), bedOf(repeats));
  writeFileSync(join(folder, 'genes.bed'), bedOf(genes));
  const plan: unknown = parse(filesPage().plan);

  const { outcome, result } = await rig.run({ plan });
  expect(outcome).toBe('done');
  const near = bedtools('window -w 500 -u -a genes.bed -b peaks.bed.gz');
  const expected = bedtools('sort', bedtools('intersect -v -a - -b repeats.bed', near));
  const lines = expected.trimEnd().split('\n').length;
  expect(lines).toBeGreaterThan(50);
  expect(lines).toBeLessThan(genes.length);
  expect(readFileSync(join(folder, 'result.bed'), 'utf8')).toBe(expected);
  expect(await rig.read(result?.ref)).toMatchObject({ value: { path: 'result.bed', format: 'bed', records: lines } });

  // Another run of the same plan leaves the file as it is.
  const { ino, mtimeNs } = statSync(join(folder, 'result.bed'), { bigint: true });
  expect((await rig.run({ plan })).outcome).toBe('done');
  expect(statSync(join(folder, 'result.bed'), { bigint: true })).toMatchObject({ ino, mtimeNs });
});

const file = (path: string, args: object = {}) => ({
  ...{ task: `Read ${path}`, capability: 'records.file' },
  arguments: { path, ...args },
});

test('what looks like a mistake is in the trace of the run, beside its node', async () => {
  writeFileSync(join(folder, 'one.bed'), 'chr1\t1\t9\ta\n');
  writeFileSync(join(folder, 'other.bed'), '1\t1\t9\tb\n1\t1\t9\tb\n');
  const plan = { operator: 'COLOCATE', left: file('one.bed'), right: file('other.bed') };
  const run = await rig.startApproved({ goal: 'g', plan });
  const { result } = (await run.result()) as Awaited<ReturnType<Rig['run']>>;
  expect(Object.keys(result ?? {}).toSorted()).toEqual(['bytes', 'count', 'kind', 'ref']);
  const told = (await rig.trace(run, 'node')).map(({ text }) => text);
  expect(told).toEqual([
    expect.stringMatching(/^node_2 1 line repeated the id and the place/),
    expect.stringMatching(/^node_3 No sequence name is in both sets .*"chr1" on the left may be "1" on the right/),
  ]);
  const { nodes } = await run.query<NodesPage>('nodes');
  expect(nodes.map(({ notes }) => notes)).toEqual([
    undefined,
    [expect.stringMatching(/^1 line repeated/)],
    [expect.stringMatching(/^No sequence name/)],
  ]);
});

describe('a run that goes on from a closed one gives what a run without it gives', () => {
  const at = (name: string) => join(folder, name);
  const MINUS = { operator: 'MINUS', left: file('left.bed'), right: file('right.bed') };
  const rules = [{ effect: 'at-most-once' }];
  const run = async (plan: object, options: object = {}) => {
    const started = await rig.start({ goal: 'g', plan, options: { approval: { rules }, ...options } });
    expect(await started.result()).toMatchObject({ outcome: 'done' });
    const { reuse } = await started.query<PlanView>('plan');
    return { id: started.workflowId, reuse, nodes: (await started.query<NodesPage>('nodes')).nodes };
  };
  const lay = () => {
    writeFileSync(at('left.bed'), 'chr1\t1\t9\ta\nchr1\t1\t9\ta\nchr1\t3\t9\tb\n');
    writeFileSync(at('right.bed'), 'chr1\t3\t9\tb\n');
  };

  test.each<[change: string, make: () => void, options: object, reused: boolean[], told: RegExp]>([
    ['nothing', () => {}, {}, [true, true, true], /^3 of 3 nodes are reused from run \S+$/],
    ['the time of a file', () => utimesSync(at('left.bed'), 1, 1), {}, [true, true, true], /^3 of 3/],
    [
      'one file',
      () => writeFileSync(at('left.bed'), 'chr1\t5\t9\tc\n'),
      {},
      [false, true, false],
      /node_1: left\.bed has changed; node_3: it takes node_1, which is not reused/,
    ],
    [
      'a file, by one letter',
      () => writeFileSync(at('right.bed'), 'chr1\t1\t9\ta\n'),
      {},
      [true, false, false],
      /node_2: right\.bed has changed/,
    ],
    ['nothing, with fresh', () => {}, { fresh: true }, [false, false, false], /what only reads is carried out again/],
    [
      'one file, with fresh',
      () => writeFileSync(at('left.bed'), 'chr1\t5\t9\tc\n'),
      { fresh: true },
      [false, false, false],
      /^0 of 3/,
    ],
  ])('%s has changed', async (_, make, options, reused, told) => {
    lay();
    const first = await run(MINUS);
    make();
    const second = await run(MINUS, { reuse: first.id, ...options });
    expect(second.nodes.map(({ reusedFrom }) => reusedFrom?.run === first.id)).toEqual(reused);
    expect(second.reuse).toMatch(told);
    const resultsOf = ({ nodes }: typeof first) => nodes.map(({ result, notes }) => [result, notes]);
    expect(resultsOf(second)).toEqual(resultsOf(await run(MINUS)));
  });

  test.each<[change: string, make: () => void, note: string | undefined]>([
    ['nothing', () => {}, undefined],
    ['the file is gone', () => rmSync(at('w.bed')), 'w.bed is not there now'],
    ['the file is another', () => writeFileSync(at('w.bed'), 'mine'), 'w.bed has changed'],
    [
      'what it wrote is older',
      () => writeFileSync(at('left.bed'), 'chr1\t5\t9\tc\n'),
      'it was done before and is not done again, though it takes node_1, which is not reused',
    ],
  ])('of a file that it wrote it says what has changed: %s', async (_, make, note) => {
    lay();
    rmSync(at('w.bed'), { force: true });
    const plan = { task: 'Write', capability: 'records.write', arguments: { path: 'w.bed' }, input: file('left.bed') };
    const first = await run(plan);
    make();
    const { nodes, reuse } = await run(plan, { reuse: first.id });
    expect(nodes[1]).toMatchObject({ status: 'reused', result: first.nodes[1]?.result });
    expect(nodes[1]?.notes).toEqual(note && [note]);
    if (note !== undefined) expect(reuse).toContain(`reused as they were: node_2: ${note}`);
  });
});
