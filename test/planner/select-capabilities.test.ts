/** Which capabilities a plan is made with. */

import { describe, expect, test } from 'vitest';
import { openNotes, type PlannerNotes } from '../../src/planner/index.ts';
import { selectCapabilities } from '../../src/planner/select-capabilities.ts';
import {
  always,
  plannerOf,
  type Line,
  manyMore,
  modelError,
  plot,
  rank,
  researcher,
  search,
} from '../support/scripted-planner.ts';

const notes = openNotes('Rank kinases');
const MANY = [search, rank, plot, ...manyMore];
const names = (...capabilities: string[]): Line => ({ json: { capabilities } });

async function select(lines: readonly Line[], given: PlannerNotes = notes, more = {}) {
  const planner = plannerOf({ select: lines }, { capabilities: MANY, ...more });
  const { notes: after, outcome } = await selectCapabilities(planner, given);
  return { selected: after.selected, outcome, asked: planner.asked };
}

const BUILT_IN = ['respond', 'ask', 'clarify'];
const ALL = [...MANY.map(({ name }) => name), ...BUILT_IN];

describe('Osprey: capability classification', () => {
  test('16 are all offered, without a call; what is always active does not count', async () => {
    const few = await select([], notes, { capabilities: [always, ...manyMore] });
    expect(few.selected).toEqual(['always', ...manyMore.map(({ name }) => name), ...BUILT_IN]);
    expect(few).toMatchObject({ outcome: { is: 'selected', count: 17 }, asked: [] });
  });

  test('above 16 one call names them; the selected are in the order of the project', async () => {
    const { selected, outcome, asked } = await select([names('plot', 'search', 'rank')]);
    expect(selected).toEqual(['search', 'rank', 'plot', ...BUILT_IN]);
    expect(outcome).toEqual({ is: 'selected', count: 3 });
    expect(asked).toHaveLength(1);
    const { messages, format } = asked[0]!.request;
    expect(messages[0]?.content).toContain('- more_15: Does more_15.');
    expect(format?.schema).toMatchObject({
      properties: { capabilities: { items: { enum: MANY.map(({ name }) => name) } } },
    });
  });

  test.each<[line: Line, selected: readonly string[]]>([
    [names('search', 'serach', 'respond'), ['search', ...BUILT_IN]],
    ['["search"]', ['search', ...BUILT_IN]],
    ['Here: {"capabilities": ["search"], "reason": "genes"}', ['search', ...BUILT_IN]],
    [{ json: { capabilities: 'search' } }, ALL],
    ['I am not sure', ALL],
    ['', ALL],
    [modelError('refusal', 'CRITICAL'), ALL],
  ])('%j selects %j; what cannot be read selects all', async (line, selected) => {
    expect((await select([line])).selected).toEqual(selected);
  });

  test('what is always active is selected whatever is said', async () => {
    const { selected, outcome } = await select([names()], notes, { capabilities: [...MANY, always] });
    expect(selected).toEqual(['always', ...BUILT_IN]);
    expect(outcome).toEqual({ is: 'selected', count: 1 });
  });

  test('providers of what is missing come with it, and theirs in turn', async () => {
    expect((await select([names('plot')])).selected).toEqual(['search', 'rank', 'plot', ...BUILT_IN]);
  });

  test('but not of a type that comes from outside the plan', async () => {
    const given = openNotes('Plot the ranks', { context: [{ key: 'ranks', type: 'RANKS' }] });
    expect((await select([names('plot')], given)).selected).toEqual(['plot', ...BUILT_IN]);
  });

  test('nor of one that an earlier run of the conversation has given', async () => {
    const results = [{ key: 'genes', type: 'GENES', objective: 'Find genes' }];
    const given = openNotes('Rank them', { conversation: { results } });
    expect((await select([names('rank')], given)).selected).toEqual(['rank', ...BUILT_IN]);
  });

  test('what went wrong before is told when it is looked at again', async () => {
    const planner = plannerOf({ select: [names('search')] }, { capabilities: MANY });
    await selectCapabilities(planner, notes, {
      severity: 'RECLASSIFICATION',
      message: 'There is no capability "erase".',
    });
    expect(planner.asked[0]?.request.messages[1]?.content).toContain('There is no capability "erase".');
  });
});

test('nothing selected is said to be nothing; agents are enough to plan with', async () => {
  expect((await select([names()])).outcome).toEqual({ is: 'selected', count: 0 });
  expect((await select([names()], notes, { agents: [researcher] })).outcome).toEqual({ is: 'selected', count: 1 });
});

test('a provider that failed for good has failed; one that failed in passing is tried again', async () => {
  const { outcome } = await select([modelError('auth', 'CRITICAL')]);
  expect(outcome).toMatchObject({ is: 'failed', trouble: { severity: 'CRITICAL' } });
  const passing = { capabilities: MANY, isLastAttempt: false };
  await expect(select([modelError('rate-limit', 'RETRIABLE')], notes, passing)).rejects.toThrow('rate-limit happened');
});
