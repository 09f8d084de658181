/** Results of earlier runs on their way into a conversation and out of it, without a server. */

import { describe, expect, test } from 'vitest';
import { defineCapability } from '../../src/capabilities/index.ts';
import type { ConversationRun } from '../../src/protocol/index.ts';
import type { PlannerNotes } from '../../src/planner/index.ts';
import { untrustedIn } from '../../src/activities/untrusted.ts';
import { openModels } from '../../src/config/own-worker/index.ts';
import { ids } from '../support/capabilities.ts';
import { scriptedModel, search, USAGE } from '../support/scripted-planner.ts';
import { failureOf, openActivities, WORKFLOW_ID, type ActivityRig } from './rig.ts';

const steps = (...list: object[]) => ({ goal: 'Find genes', steps: list });
const step = (context_key: string, capability: string, more: object = {}) => ({
  context_key,
  capability,
  task_objective: `Find ${context_key}`,
  ...more,
});
const finding = step('b', 'search', { parameters: { text: 'x' } });

async function keeping() {
  const kept: (readonly [conversation: string, end: ConversationRun, key: string])[] = [];
  const rig = await openActivities([search, defineCapability({ ...ids, provides: ['A', 'B'] })], {
    keepEnd: async (...end) => void kept.push(end),
  });
  return { rig, kept };
}

describe('Osprey: context reuse: a kept result', () => {
  test('is told by its key, what it was made for, and what it is: as its step says, else as its capability does', async () => {
    const { rig, kept } = await keeping();
    const { revisionRef: revision } = await rig.compiled(
      steps(
        step('a', 'search', { expected_output: 'LOCI', parameters: { text: 'x' } }),
        finding,
        step('c', 'ids', { parameters: { ids: [] } }),
        step('d', 'ids', { parameters: { ids: [] }, task_objective: 'x'.repeat(600) }),
      ),
    );
    const refs = await Promise.all(['1', '2', '3', '4'].map((at) => rig.results.put(Buffer.from(at))));
    const all = refs.map((ref, at) => ({ nodeId: `node_${at + 1}`, ref }));
    const request = {
      conversation: 'reef',
      outcome: 'done',
      goal: 'Find genes',
      revision,
      steps: all,
      left: 2,
    } as const;
    await rig.call('keepResults', request);
    const [[conversation, end, key] = []] = kept;
    expect([conversation, key]).toEqual(['reef', `${WORKFLOW_ID}/first`]);
    expect(end).toEqual({
      workflowId: WORKFLOW_ID,
      outcome: 'done',
      goal: 'Find genes',
      results: [
        { key: 'a', type: 'LOCI', objective: 'Find a', ref: refs[0] },
        { key: 'b', type: 'GENES', objective: 'Find b', ref: refs[1] },
        { key: 'c', objective: 'Find c', ref: refs[2] },
        { key: 'd', objective: `${'x'.repeat(499)}…`, ref: refs[3] },
      ],
      left: 2,
    });
  });

  test('of a whole without keys is told by the goal', async () => {
    const { rig, kept } = await keeping();
    const ref = await rig.results.put(Buffer.from('the whole'));
    const request = {
      conversation: 'reef',
      outcome: 'done',
      goal: 'Find genes',
      steps: [],
      left: 0,
    } as const;
    await rig.call('keepResults', { ...request, result: ref });
    expect(await untrustedIn(rig.stores, 'reef')).toBeUndefined();
    expect(kept[0]?.[1].results).toEqual([{ objective: 'Find genes', ref }]);
    // It outlasts the run.
    expect(Buffer.from(await rig.stores.conversation('reef').get(ref)).toString()).toBe('the whole');
    await rig.call('keepResults', { ...request, untrusted: true });
    expect(await untrustedIn(rig.stores, 'reef')).toBeDefined();
  });
});

describe('a plan that is compiled', () => {
  const withResults = (results: () => Promise<never>) =>
    openActivities([search], { conversationOf: () => ({ results }) });

  test('takes what the open plan had, also where a later run has made another', async () => {
    let ref = '';
    const rig = await openActivities([search], {
      conversationOf: () => ({ results: () => [{ key: 'genes', objective: 'Find', ref }] }),
    });
    const left = (text: string) => rig.stores.conversation('reef').put(Buffer.from(text));
    ref = await left('one');
    const source = { document: steps({ ...finding, inputs: ['genes'] }) };
    const first = await rig.call('compilePlan', { source, conversation: 'reef' });
    if (!first.ok) throw new Error(JSON.stringify(first.issues));
    const { revisionRef: base } = await rig.shapeOf(first);
    // It is the run's own from then on.
    expect(Buffer.from(await rig.results.get(ref)).toString()).toBe('one');
    ref = await left('another');
    const edited = await rig.call('compilePlan', { source, conversation: 'reef', base });
    expect(edited).toMatchObject({ ok: true, sameAs: [0, 1] });
    const anew = await rig.call('compilePlan', { source, conversation: 'reef' });
    if (!anew.ok) throw new Error('no plan');
    expect((await rig.shapeOf(anew)).revisionRef).not.toBe(base);
    expect(await rig.call('compilePlan', { source, base })).toMatchObject({ ok: true });
    expect(await rig.call('compilePlan', { source })).toMatchObject({ ok: false });
  });

  test('waits for a conversation that cannot be read now', async () => {
    const rig = await withResults(() => Promise.reject(new Error('no disk')));
    const source = { document: steps(finding) };
    await expect(rig.call('compilePlan', { source, conversation: 'reef' })).rejects.toThrow('no disk');
    expect(await rig.call('compilePlan', { source })).toMatchObject({ ok: true });
  });
});

describe('Osprey: task extraction: a source that is missing', () => {
  const extract = async (rig: ActivityRig, beats: unknown[] = []) => {
    const request = { stage: 'extract', call: 'plan.1/extract/1', goal: 'Find genes', conversation: 'reef' } as const;
    const { notes: ref, usage } = await rig.call('planGoal', request, {
      beats,
      info: { attempt: 1 },
    });
    const text = Buffer.from(await rig.results.get(ref)).toString('utf8');
    return { notes: JSON.parse(text) as PlannerNotes, usage };
  };

  test('is ignored, and the notes and whoever listens are told', async () => {
    const model = scriptedModel({ extract: [{ json: { task: 'Find genes' } }] });
    const rig = await openActivities([search], {
      models: openModels({ model })!,
      conversationOf: () => ({ history: () => 'hello', results: () => Promise.reject(new Error('no disk')) }),
    });
    const beats: unknown[] = [];
    const { notes, usage } = await extract(rig, beats);
    expect(usage.calls).toBe(USAGE.calls);
    expect(notes).toMatchObject({ context: [], conversation: { history: 'hello' } });
    const said = 'The results of the conversation cannot be read, and are left out.';
    expect(notes.ignored).toEqual([said]);
    expect(JSON.stringify(beats)).toContain(said);
  });

  test.each([
    ['reactive', true, 0],
    ['reactive', undefined, 1],
    ['auto', true, 1],
  ] as const)(
    'in a project of mode %s, left to it: %s, costs %i calls: a loop finds its task by itself',
    async (mode, unsaid, calls) => {
      const model = scriptedModel({ extract: [{ json: { task: 'Find genes' } }] });
      const rig = await openActivities([search], {
        models: openModels({ model })!,
        conversationOf: () => ({ history: () => 'hello' }),
        mode,
      });
      const request = { stage: 'extract', call: 'plan.1/extract/1', goal: 'Find genes', conversation: 'reef' } as const;
      const reply = await rig.call('planGoal', { ...request, ...(unsaid && { unsaid }) });
      expect(reply).toMatchObject({ outcome: { is: 'extracted' }, project: { mode } });
      expect(model.asked).toHaveLength(calls);
    },
  );

  test('in a project without a model a goal is left to the loop too, whose policy may need none', async () => {
    const request = { stage: 'extract', call: 'plan.1/extract/1', goal: 'Find genes' } as const;
    const rig = await openActivities([search], { mode: 'reactive' });
    expect(await rig.call('planGoal', { ...request, unsaid: true })).toMatchObject({
      ...{ outcome: { is: 'extracted' }, project: { mode: 'reactive' }, usage: { calls: 0 } },
    });
    expect((await failureOf(rig.call('planGoal', request))).message).toContain('no model to plan with');
  });
});
