/** Which capabilities a plan is made with. */

import { describe, expect, test } from 'vitest';
import { openNotes, type PlannerNotes } from '../../src/loop/index.ts';
import { selectCapabilities } from '../../src/loop/select-capabilities.ts';
import {
  always,
  deskOf,
  type Line,
  modelError,
  plot,
  rank,
  researcher,
  type Script,
  scripted,
  search,
} from '../support/scripted-planner.ts';

const notes = openNotes('Rank kinases');
const YES: Line = { json: { needed: true } };
const NO: Line = { json: { needed: false } };

async function select(script: Script, given: PlannerNotes = notes, more = {}) {
  const desk = deskOf(script, more);
  const { notes: after, outcome } = await selectCapabilities(desk, given);
  return { selected: after.selected, outcome, asked: desk.asked };
}

const BUILT_IN = ['respond', 'ask', 'clarify'];

describe('Osprey: capability classification', () => {
  test('one yes/no call for each; the answers are in the order of the project', async () => {
    const { selected, outcome, asked } = await select({
      'select/search': [YES],
      'select/rank': ['No.'],
      'select/plot': [NO],
    });
    expect(asked.map(({ purpose }) => purpose)).toEqual(['select/search', 'select/rank', 'select/plot']);
    expect(selected).toEqual(['search', ...BUILT_IN]);
    expect(outcome).toEqual({ is: 'selected', count: 1 });
  });

  test.each<[line: Line, selected: boolean]>([
    [YES, true],
    ['yes', true],
    ['True', true],
    [NO, false],
    [{ json: { needed: 'true' } }, false],
    ['I am not sure', false],
    ['', false],
    [modelError('refusal', 'CRITICAL'), false],
    [modelError('server', 'RETRIABLE'), false],
  ])('%j selects: %s; a failed call selects nothing', async (line, isSelected) => {
    const { selected } = await select({ 'select/search': [line], 'select/rank': [NO], 'select/plot': [NO] });
    expect(selected.includes('search')).toBe(isSelected);
  });

  test('what is always active is selected without a call', async () => {
    const { selected, outcome, asked } = await select({ 'select/search': [NO] }, notes, {
      capabilities: [search, always],
    });
    expect(asked.map(({ purpose }) => purpose)).toEqual(['select/search']);
    expect(selected).toEqual(['always', ...BUILT_IN]);
    expect(outcome).toEqual({ is: 'selected', count: 1 });
  });

  test('at most 5 calls at once', async () => {
    const capabilities = Array.from({ length: 12 }, (_, at) => ({ ...search, name: `c${at}`, provides: [] }));
    const { ask } = scripted(Object.fromEntries(capabilities.map(({ name }) => [`select/${name}`, [YES]])));
    let underWay = 0;
    let most = 0;
    const desk = {
      ...deskOf({}, { capabilities }),
      async ask(...call: Parameters<typeof ask>) {
        most = Math.max(most, ++underWay);
        // The others get their turn to begin.
        for (let turn = 0; turn < 20; turn++) await Promise.resolve();
        underWay--;
        return ask(...call);
      },
    };
    const { outcome } = await selectCapabilities(desk, notes);
    expect(outcome).toEqual({ is: 'selected', count: 12 });
    expect(most).toBe(5);
  });

  test('providers of what is missing come with it, and theirs in turn', async () => {
    const { selected } = await select({ 'select/search': [NO], 'select/rank': [NO], 'select/plot': [YES] });
    expect(selected).toEqual(['search', 'rank', 'plot', ...BUILT_IN]);
  });

  test('but not of a type that comes from outside the plan', async () => {
    const given = openNotes('Plot the ranks', { context: [{ key: 'ranks', type: 'RANKS' }] });
    const { selected } = await select({ 'select/search': [NO], 'select/rank': [NO], 'select/plot': [YES] }, given);
    expect(selected).toEqual(['plot', ...BUILT_IN]);
  });

  test('nor of one that an earlier run of the conversation has given', async () => {
    const results = [{ key: 'genes', type: 'GENES', objective: 'Find genes' }];
    const given = openNotes('Rank them', { conversation: { results } });
    const { selected } = await select({ 'select/search': [NO], 'select/rank': [YES], 'select/plot': [NO] }, given);
    expect(selected).toEqual(['rank', ...BUILT_IN]);
  });

  test('what went wrong before is told when it is looked at again', async () => {
    const desk = deskOf({ 'select/search': [YES], 'select/rank': [NO], 'select/plot': [NO] });
    await selectCapabilities(desk, notes, { severity: 'RECLASSIFICATION', message: 'There is no capability "erase".' });
    for (const { request } of desk.asked) {
      expect(request.messages[1]?.content).toContain('There is no capability "erase".');
    }
  });

  test('all before the capability is the same in each call', async () => {
    const { asked } = await select({ 'select/search': [YES], 'select/rank': [NO], 'select/plot': [NO] });
    const prefixes = asked.map(({ request }) =>
      JSON.stringify(request.messages.map(({ content }) => content.split('The capability:\n')[0])),
    );
    expect(new Set(prefixes).size).toBe(1);
  });
});

test('nothing selected is said to be nothing; agents are enough to plan with', async () => {
  const none = { 'select/search': [NO], 'select/rank': [NO], 'select/plot': [NO] };
  expect((await select(none)).outcome).toEqual({ is: 'selected', count: 0 });
  expect((await select(none, notes, { agents: [researcher] })).outcome).toEqual({ is: 'selected', count: 1 });
});

test('when every call failed for good, planning has failed', async () => {
  const auth = [modelError('auth', 'CRITICAL')];
  const all = { 'select/search': auth, 'select/rank': auth, 'select/plot': auth };
  expect((await select(all)).outcome).toMatchObject({ is: 'failed', trouble: { severity: 'CRITICAL' } });
});

test('a failure in passing is thrown after all have been asked, for another attempt to ask again', async () => {
  const script = {
    'select/search': [modelError('rate-limit', 'RETRIABLE')],
    'select/rank': [YES],
    'select/plot': [NO],
  };
  const desk = deskOf(script, { capabilities: [search, rank, plot], isLastAttempt: false });
  await expect(selectCapabilities(desk, notes)).rejects.toThrow('rate-limit happened');
  expect(desk.asked).toHaveLength(3);
});
