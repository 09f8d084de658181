/** What a policy must be, and how it is drawn. */

import { describe, expect, test } from 'vitest';
import { definePolicy, policyPicture, PolicyError, type Stage } from '../../../src/capabilities/policy/index.ts';
import { on, policyWith, stages, type Around, type Decision, type State } from './market.ts';

const decider = stages.find(({ kind }) => kind === 'decide') as Stage<State, Decision, Around>;
const gate = on.gate({ name: 'g_more', when: () => false, decide: () => ({ action: 'finish', why: '' }) });

describe('a policy that is refused', () => {
  test.each<[string, readonly Stage<State, Decision, Around>[], RegExp]>([
    ['without a decider', stages.filter(({ kind }) => kind !== 'decide'), /there is no decider/],
    ['with two deciders', [...stages, { ...decider, name: 'other' }], /there are 2 deciders \("plan_llm", "other"\)/],
    ['with a gate behind the decider', [...stages, gate], /stages\[7\] g_more: a stage of kind "gate" comes before/],
    [
      'with a corrector before the decider',
      [on.correct({ name: 'c_early', run: () => undefined }), ...stages],
      /stages\[0\] c_early: a corrector comes after the decider/,
    ],
    [
      'with the same name twice',
      [gate, gate, ...stages],
      /stages\[1\]\.name: "g_more" is the name of stages\[0\]\.name/,
    ],
    ['with a name of the picture', [{ ...gate, name: 'dispatch' }, ...stages], /"dispatch" is the name of the picture/],
    ['with a name that no picture can carry', [{ ...gate, name: 'a b' }, ...stages], /expected letters, digits/],
    [
      'with a corrector of no origin',
      [...stages, on.correct({ name: 'c_none', origins: [], run: () => undefined })],
      /c_none: origins: expected some of/,
    ],
  ])('%s', (_, list, message) => {
    expect(() => policyWith(list)).toThrow(PolicyError);
    expect(() => policyWith(list)).toThrow(message);
  });

  test('with no action that ends, and an observer of no action: both are told', () => {
    const refused = () =>
      definePolicy<State, Decision, Around>({
        name: 'endless',
        initial: () => ({ notes: [], rounds: 0, failed: false }),
        stages: [decider],
        observers: [{ name: 'sees', after: ['dance' as 'search'], writes: [], run: () => ({}) }],
        actions: {} as never,
      });
    expect(refused).toThrow(/none of them ends the loop/);
    expect(refused).toThrow(/observer sees: there is no action "dance"/);
  });
});

test('the picture has every stage, every exit and every action', () => {
  expect(policyPicture(policyWith())).toMatchInlineSnapshot(`
    "flowchart TD
      START([START])
      tick["tick<br/>begins a round; writes rounds, failed"]
      g_region{{"g_region<br/>gate; is the region known?"}}
      g_currency{{"g_currency<br/>gate"}}
      enrich["enrich<br/>enrich; writes notes"]
      acquire{{"acquire<br/>select"}}
      plan_llm[["plan_llm<br/>decide; writes failed"]]
      c_short["c_short<br/>correct"]
      c_last["c_last<br/>correct"]
      dispatch{dispatch}
      ask_user("ask_user")
      search("search")
      finish("finish")
      observe[/"observe"/]
      observe_user[/"observe_user"/]
      END([END])
      START --> tick
      tick -->|otherwise| g_region
      tick -->|after ask_user| observe_user
      observe_user --> g_region
      tick -->|after search| observe
      observe --> g_region
      g_region -->|decides| dispatch
      g_region -->|passes| g_currency
      g_currency -->|decides| dispatch
      g_currency -->|passes| enrich
      enrich --> acquire
      acquire -->|decides| c_last
      acquire -->|passes| plan_llm
      plan_llm --> c_short
      c_short --> c_last
      c_last --> dispatch
      dispatch -->|ask_user| ask_user
      ask_user --> START
      dispatch -->|search| search
      search --> START
      dispatch -->|finish| finish
      finish --> END
    "
  `);
});

test('what a stage returns is checked against what it declares', () => {
  on.enrich({ name: 'fine', writes: ['notes'], run: () => ({ notes: [] }) });
  // @ts-expect-error it declares nothing
  on.enrich({ name: 'more', run: () => ({ notes: [] }) });
  // @ts-expect-error it declares another field
  on.enrich({ name: 'other', writes: ['region'], run: () => ({ notes: [] }) });
  // @ts-expect-error there is no such field
  on.enrich({ name: 'none', writes: ['nothing'], run: () => undefined });
  expect(on.gate({ name: 'g', when: () => true, decide: () => ({ action: 'finish', why: '' }) }).kind).toBe('gate');
});
