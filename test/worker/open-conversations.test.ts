/** What the planner is told of a conversation, and what it keeps there. */

import { beforeEach, describe, expect, test } from 'vitest';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { createDrafts } from '../../src/capabilities/builtin/drafts/index.ts';
import { createFileStore, type Store } from '../../src/store/index.ts';
import { openConversations } from '../../src/config/own-worker/index.ts';
import { modelProblem } from '../../src/worker/index.ts';
import { researcher, writer } from '../support/scripted-planner.ts';
import { testFolder } from '../support/folders.ts';

const PLAN = { goal: 'Find genes', plan: { type: 'task', task: 'Find genes' } };

let folder: string;
let store: Store;
beforeEach(() => {
  folder = testFolder('conversations');
  store = createFileStore(folder);
});

const historyOf = async (id: string) => openConversations(store).conversationOf(id).history?.();

test('the history of a conversation tells artifacts, drafts and hand-offs in their order', async () => {
  const drafts = createDrafts(store, { now: () => 0 });
  await drafts.saveArtifact('talk', { title: 'Strategy', summary: 'Start with kinases.' }, { by: 'operator' });
  await drafts.saveDraft('talk', { plan: PLAN }, { by: 'reviewer' });
  const started = async () => ({ ok: true, run: { workflowId: 'plan-find-genes-1' } }) as const;
  await drafts.handOff('talk', { by: 'operator', instructions: 'tonight' }, started);
  const told = (await historyOf('talk'))?.split('\n\n') ?? [];
  expect(told[0]).toBe('1. 1970-01-01T00:00:00.000Z by operator, artifact "Strategy": Start with kinases.');
  expect(told[1]).toContain('by reviewer, revision 1 of draft "delegation_draft": Find genes');
  expect(told[1]).toContain('{"goal":"Find genes","plan":{"task":"Find genes","type":"task"}}');
  expect(told[2]).toMatch(/run plan-find-genes-\w+ of draft "delegation_draft", revision 1, was started: tonight$/);
});

describe('a plan of the planner', () => {
  test('is kept as a draft, once for each call', async () => {
    const { keepDraft } = openConversations(store, createRegistry([]));
    await keepDraft('talk', PLAN, 'run/1');
    await keepDraft('talk', PLAN, 'run/1');
    await keepDraft('talk', { ...PLAN, goal: 'Find targets' }, 'run/2');
    const listed = await createDrafts(store).list('talk');
    expect(listed).toMatchObject({
      entries: [
        { by: 'planner', goal: 'Find genes', revision: 1 },
        { by: 'planner', goal: 'Find targets', revision: 2 },
      ],
    });
  });

  test('that cannot be kept is an error', async () => {
    await expect(openConversations(store).keepDraft(' ', PLAN, 'run/1')).rejects.toThrow(
      'conversation: expected a well-formed text',
    );
  });
});

test('agents without a model are a problem of the project', () => {
  expect(modelProblem(createRegistry([]), undefined)).toBeUndefined();
  expect(modelProblem(createRegistry([], { agents: [writer] }), undefined)).toContain('the agent writer has no model');
  const both = createRegistry([], { agents: [researcher, writer] });
  expect(modelProblem(both, undefined)).toContain('the agents researcher, writer have no model');
});
