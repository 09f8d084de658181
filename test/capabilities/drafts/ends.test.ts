import { describe, expect, test } from 'vitest';
import type { KeptResult, ConversationRun } from '../../../src/protocol/index.ts';
import { createDrafts } from '../../../src/capabilities/builtin/drafts/index.ts';
import { openStore } from './rig.ts';

const end = (workflowId: string, ...results: KeptResult[]): ConversationRun => ({
  workflowId,
  outcome: 'done',
  goal: 'Find genes',
  results,
  left: 0,
});
const result = (key: string, ref: string, type = 'GENES') => ({ key, type, objective: `Find ${key}`, ref });
const listOf = (...inputs: string[]) => ({
  goal: 'Rank genes',
  steps: [{ context_key: 'ranks', capability: 'respond', task_objective: 'Rank', inputs }],
});

describe('Osprey: context reuse: a conversation', () => {
  test('has the results of its runs; of one key the last, of a run without keys by its entry', async () => {
    const drafts = createDrafts(await openStore());
    await drafts.saveEnd('reef', end('run-1', result('genes', 'old'), result('paths', 'p')));
    await drafts.saveEnd('reef', end('run-2', { objective: 'Find genes', ref: 'whole' }));
    await drafts.saveEnd('reef', end('run-3', result('genes', 'new', 'LOCI')));
    const { results } = await drafts.results('reef');
    expect(results).toEqual([
      { ...result('paths', 'p'), workflowId: 'run-1' },
      { key: 'run_2', objective: 'Find genes', ref: 'whole', workflowId: 'run-2' },
      { ...result('genes', 'new', 'LOCI'), workflowId: 'run-3' },
    ]);
    expect((await drafts.results('another')).results).toEqual([]);
    await expect(drafts.results(' ')).rejects.toMatchObject({ code: 'invalid-entry' });
  });

  test('keeps the end of a run once, however often it is told', async () => {
    const drafts = createDrafts(await openStore());
    const once = { idempotencyKey: 'run-1/first' };
    await drafts.saveEnd('reef', end('run-1', result('genes', 'r')), once);
    expect((await drafts.saveEnd('reef', end('run-1', result('genes', 'r')), once)).repeated).toBe(true);
    const { entries, total } = await drafts.list('reef', { kind: 'ended' });
    expect(total).toBe(1);
    expect(entries[0]).toMatchObject({ id: 'run-1', outcome: 'done', goal: 'Find genes', number: 1 });
    expect(entries[0]).not.toHaveProperty('results');
    expect((await drafts.get('reef', 'run-1')).entry).toMatchObject({ results: [result('genes', 'r')], left: 0 });
  });

  test('takes drafts that name them, and hands them off with its name', async () => {
    const drafts = createDrafts(await openStore());
    const before = (await drafts.saveDraft('reef', { plan: listOf('genes') })).entry;
    expect(before.issues.map(({ code }) => code)).toContain('unknown-reference');
    await drafts.saveEnd('reef', end('run-1', result('genes', 'r')));
    const after = (await drafts.saveDraft('reef', { plan: listOf('genes') })).entry;
    expect(after.errors).toBe(0);
    const started: unknown[] = [];
    await drafts.handOff('reef', {}, async (_, __, conversation) => {
      started.push(conversation);
      return { ok: true, run: { workflowId: 'plan-1' } };
    });
    expect(started).toEqual(['reef']);
  });
});
