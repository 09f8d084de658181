/** Every node of the gene strategy against plain loops, and against bedtools. */

import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { combineSets, type ResultSet } from '../../src/plan/algebra/index.ts';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { EXPECTED_COUNTS } from '../../examples/gene-strategies/expected.ts';
import { createConfig, demo } from '../../examples/gene-strategies/index.ts';
import { type CompiledPlan, type TaskNode } from '../../src/plan/index.ts';
import { plainAnswers, TRACK_FILES, TRACKS_FOLDER, type Answers } from './oracle.ts';
import { fileFolder } from '../support/folders.ts';
import { compiledPlan } from '../support/plans.ts';

const { capabilities, tasks } = createConfig();
const registry = createRegistry(capabilities, { defaultExecutor: tasks?.default as string });

/** What the oracle calls a node, and what the plan does. */
const NODES: Readonly<Record<string, keyof Answers>> = {
  'Read the exons of RefSeq transcripts': 'exons',
  'Read the AluY repeats': 'aluY',
  'Read the tandem repeats': 'repeats',
  'Keep the exons of protein-coding transcripts': 'coding',
  'AluY upstream': 'upstream',
  'Inverted AluY downstream': 'downstream',
  'AluY on either flank': 'either',
  'Inverted pair of AluY': 'pair',
  'AluY on one flank only': 'oneFlank',
  'Tandem repeat inside': 'withRepeat',
  'One Alu, no tandem repeat': 'root',
};

let plan: CompiledPlan;
let results: ReadonlyMap<string, ResultSet>;
let answers: Answers;

beforeAll(async () => {
  const compiled = compiledPlan(readFileSync(demo.planFile), { catalogue: registry });
  plan = compiled.plan;
  answers = plainAnswers();
  results = await carryOut(plan);
});

test.each(Object.entries(NODES))('every node against plain loops: %s', (name, answer) => {
  const { ids, locations } = resultOf(name);
  const expected = answers[answer];
  expect(ids).toHaveLength(expected.size);
  expect(EXPECTED_COUNTS[name]).toBe(expected.size);
  expect(locations?.start).toHaveLength(expected.size);
  expect(new Set(name.includes('repeats') ? ids.map(fromLocationId) : ids)).toEqual(expected);
});

const bedtools = spawnSync('bedtools', ['--version']).status === 0;
if (!bedtools) process.stderr.write('bedtools is not on PATH: the demo is compared with plain loops only.\n');

describe.skipIf(!bedtools)('COLOCATE against bedtools (skipped where it is not on PATH)', () => {
  const folder = fileFolder('bedtools');
  const path = (name: string) => join(folder, name);

  beforeAll(() => {
    const text = (file: string) => gunzipSync(readFileSync(TRACKS_FOLDER + file)).toString('latin1');
    const exons = text(TRACK_FILES.exons).split('\n');
    writeFileSync(path('coding.bed'), exons.filter((line) => line.includes('\tNM_')).join('\n') + '\n');
    writeFileSync(path('alu.bed'), text(TRACK_FILES.aluY));
    writeFileSync(path('repeats.bed'), text(TRACK_FILES.repeats));
  });

  test.each([
    ['AluY upstream', 'window -a coding.bed -b alu.bed -l 1000 -r 0 -sw -sm -u'],
    ['Inverted AluY downstream', 'window -a coding.bed -b alu.bed -l 0 -r 1000 -sw -Sm -u'],
    ['Tandem repeat inside', 'intersect -a coding.bed -b repeats.bed -F 1.0 -u'],
  ])('%s: bedtools %s', (name, command) => {
    const lines = execFileSync('bedtools', command.split(' '), { cwd: folder, encoding: 'latin1', maxBuffer: 2 ** 26 });
    const names = lines
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t')[3] as string);
    expect(resultOf(name).ids).toEqual([...new Set(names)].sort());
  });
});

/** The plan without Temporal: its capabilities and operators, called in dependency order. */
async function carryOut({ nodesById }: CompiledPlan): Promise<ReadonlyMap<string, ResultSet>> {
  const done = new Map<string, ResultSet>();
  const setOf = (id: string) => done.get(id) as ResultSet;
  for (let number = 1; number <= Object.keys(nodesById).length; number += 1) {
    const node = nodesById[`node_${number}`];
    if (node?.kind === 'combine') {
      const combined = combineSets(node.operator, setOf(node.inputs[0]), setOf(node.inputs[1]), node.colocate);
      if (!combined.ok) throw new Error(`${node.id}: ${combined.message}`);
      done.set(node.id, combined.set);
    } else if (node !== undefined) {
      done.set(node.id, await execute(node, node.dependsOn.map(setOf)));
    }
  }
  return done;
}

async function execute(
  node: Pick<TaskNode, 'task' | 'capability' | 'arguments'>,
  inputs: readonly ResultSet[] = [],
): Promise<ResultSet> {
  const capability = registry.capability(node.capability ?? (tasks?.default as string));
  const set = await capability?.execute({
    ...{ goal: '', task: node.task, idempotencyKey: '', signal: new AbortController().signal, heartbeat: () => {} },
    arguments: capability.input.parse(node.arguments ?? {}),
    inputs: inputs.map((input) => ({
      name: '',
      handle: { ref: '' },
      read: async () => ({ kind: 'set', set: input }) as const,
    })),
  });
  return set as ResultSet;
}

function resultOf(name: string): ResultSet {
  const nodes = Object.values(plan.nodesById).filter(
    (node) => (node.kind === 'task' ? node.task : node.displayName) === name,
  );
  expect(nodes).toHaveLength(1);
  return results.get(nodes[0]?.id as string) as ResultSet;
}

/** `chr1:11-20:+`, 1-based and inclusive, as the oracle writes it: `10-20-+`. */
function fromLocationId(id: string): string {
  const [, start, stop, strand] = /^chr1:(\d+)-(\d+):([-+.])$/.exec(id) as unknown as [string, string, string, string];
  return `${Number(start) - 1}-${stop}-${strand}`;
}
