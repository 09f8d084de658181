import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { plan } from '../../../src/plan/index.ts';
import type { CompiledPlan } from '../../../src/plan/index.ts';
import { compiledPlan } from '../../support/plans.ts';

function planOf(document: unknown): CompiledPlan {
  const result = compiledPlan(document);
  expect(result.warnings.filter(({ severity }) => severity !== 'note')).toEqual([]);
  return result.plan;
}

describe('plans in code', () => {
  test('the plan of the demo has the digest of its document', () => {
    const exons = plan.task('Keep the exons of protein-coding transcripts', {
      hint: 'RefSeq accessions of protein-coding transcripts begin with NM_.',
      capability: 'records.named',
      arguments: { prefix: 'NM_' },
      input: plan.task('Read the exons of RefSeq transcripts', {
        capability: 'track.records',
        arguments: { track: 'exons' },
      }),
    });
    const repeats = plan.task('Read the tandem repeats', {
      capability: 'track.records',
      arguments: { track: 'tandem-repeats' },
    });
    const young = plan.task('Read the AluY repeats', {
      hint: 'AluY is a young family of Alu elements.',
      capability: 'track.records',
      arguments: { track: 'alu-y' },
    });
    const upstream = plan.colocate(exons, young, { upstream: 1000, strand: 'same', displayName: 'AluY upstream' });
    const downstream = plan.colocate(exons, young, {
      downstream: 1000,
      strand: 'opposite',
      displayName: 'Inverted AluY downstream',
    });
    const document = plan.document(
      'Find protein-coding exons with a young Alu on one flank, no inverted partner on the other, and no tandem repeat inside',
      plan.rminus(
        plan.colocate(exons, repeats, { operation: 'contains', displayName: 'Tandem repeat inside' }),
        plan.minus(
          plan.union(upstream, downstream, { displayName: 'AluY on either flank' }),
          plan.intersect(upstream, downstream, { displayName: 'Inverted pair of AluY' }),
          { displayName: 'AluY on one flank only' },
        ),
        { displayName: 'One Alu, no tandem repeat' },
      ),
    );
    const written = readFileSync(new URL('../../../examples/gene-strategies/plan.json', import.meta.url), 'utf8');
    expect(planOf(document).digest).toBe(planOf(written).digest);
    expect(planOf(JSON.stringify(document)).digest).toBe(planOf(written).digest);
  });

  test('every detail of a task is kept', () => {
    const node = plan.task('A', {
      hint: 'h',
      context: { x: [1] },
      capability: 'c',
      arguments: { n: 1 },
      agent: 'a',
      displayName: 'd',
      input: plan.task('B'),
    });
    expect(compiledPlan(plan.document('g', node)).plan.tasks[1]).toMatchObject({
      hint: 'h',
      context: { x: [1] },
      capability: 'c',
      arguments: { n: 1 },
      agent: 'a',
      displayName: 'd',
      dependsOn: ['node_1'],
    });
  });

  test('a COLOCATE of regions', () => {
    const left = {
      begin: { anchor: 'start', direction: 'upstream', offset: 10 },
      end: { anchor: 'stop', direction: 'downstream', offset: 0 },
    } as const;
    const node = plan.colocate(plan.task('A'), plan.task('B'), { left, right: 'exact', output: 'right' });
    expect(planOf(plan.document('g', node)).combines[0]?.colocate).toMatchObject({
      left,
      right: 'exact',
      output: 'right',
    });
  });

  test('without parameters a COLOCATE is as short as any other', () => {
    expect(plan.colocate(plan.task('A'), plan.task('B'))).toEqual({
      type: 'combine',
      operator: 'COLOCATE',
      left: { type: 'task', task: 'A' },
      right: { type: 'task', task: 'B' },
    });
  });
});
