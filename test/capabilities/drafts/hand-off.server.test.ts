import { expect, test } from 'vitest';
import { draftCapabilities } from '../../../src/capabilities/builtin/index.ts';
import { createDrafts, type Drafts, type StartRun } from '../../../src/capabilities/builtin/drafts/index.ts';
import { createFileStore, type Store } from '../../../src/store/index.ts';
import type { RunStatus } from '../../../src/protocol/index.ts';
import { ids } from '../../support/capabilities.ts';
import { idsOf, planOf, task } from '../../support/plans.ts';
import { plansOf, sharedRig } from '../../support/rig.ts';
import { openStore } from './rig.ts';

/** The capabilities exist before the rig whose store and server they use. */
const late = {
  drafts: new Proxy({} as Drafts, { get: (_, name) => drafts[name as keyof Drafts] }),
  startRun: ((document, once) => startRun(document, once)) satisfies StartRun,
};

const rig = await sharedRig({ capabilities: [ids, ...draftCapabilities(late)] });
const drafts: Drafts = createDrafts(rig.store, { catalogue: rig.registry });

const startRun: StartRun = (document, once) => plansOf(rig).start(document as object, { once });

async function runsOf(workflowId: string): Promise<number> {
  let count = 0;
  for await (const _ of rig.client.workflow.list({ query: `WorkflowId = "${workflowId}"` })) count++;
  return count;
}

const kept = planOf(idsOf('a', 'b'));

test('Pathfinder: handing a draft off starts a run of its plan once, and the run asks for its own approval', async () => {
  await drafts.saveDraft('reef', { plan: kept });
  const { entry } = await drafts.handOff('reef', {}, startRun);
  const run = rig.client.workflow.getHandle(entry.workflowId);
  const status = await rig.until(run, ({ phase }) => phase === 'awaiting-approval');
  expect(status.digest).toBe(entry.digest);
  expect(entry.workflowId).toMatch(/^plan-.+-[0-9a-f]{16}$/);

  // The record of the hand-off is lost, as when a crash came before it: the run that is open is found again.
  const forgetful = createDrafts(withoutHandOff(entry.number));
  const again = await forgetful.handOff('reef', {}, startRun);
  expect(again.entry.workflowId).toBe(entry.workflowId);
  expect(await drafts.handOff('reef', {}, startRun)).toMatchObject({
    repeated: true,
    entry: { number: entry.number },
  });

  await rig.approve(run);
  expect(await run.result()).toMatchObject({ outcome: 'done', digest: entry.digest });
  await expect.poll(() => runsOf(entry.workflowId)).toBe(1);
  expect((await drafts.list('reef', { kind: 'handed-off' })).total).toBe(1);
});

/** The store as it was before this entry got its place, until somebody puts it there again. */
function withoutHandOff(number: number): Store {
  let hidden = true;
  const isIt = (key: string) => key.endsWith(`/entries/${number}`);
  return {
    ...rig.store,
    async *list(prefix, after) {
      for await (const one of rig.store.list(prefix, after)) if (!hidden || !isIt(one.key)) yield one;
    },
    put(key, bytes) {
      if (isIt(key)) hidden = false;
      return rig.store.put(key, bytes);
    },
  };
}

test('Pathfinder: an agent saves a draft and requests its build from inside a run', async () => {
  const child = planOf(idsOf('x', 'y'));
  const saved = await rig.run(
    planOf(task('saveDraft', { conversation: 'agent', delegation_goal: child.goal, delegation_plan: child.plan })),
  );
  expect(await rig.read(saved.result?.ref)).toMatchObject({
    value: { id: 'delegation_draft', revision: 1, issues: [] },
  });
  const requested = await rig.run(planOf(task('requestBuild', { conversation_id: 'agent' })));
  const { workflowId } = valueOf(await rig.read(requested.result?.ref));
  const run = rig.client.workflow.getHandle(workflowId);
  await rig.until(run, ({ phase }: RunStatus) => phase === 'awaiting-approval');
  await rig.approve(run);
  const result = (await run.result()) as { readonly result: { readonly ref: string } };
  expect(await rig.read(result.result.ref)).toMatchObject({ set: { ids: ['x', 'y'] } });
});

test('Pathfinder: an agent delegates a plan, which waits for its own approval', async () => {
  const child = planOf(idsOf('z'));
  const delegated = await rig.run(planOf(task('delegate', child)));
  const { workflowId, digest } = valueOf(await rig.read(delegated.result?.ref));
  const run = rig.client.workflow.getHandle(workflowId);
  expect(await rig.until(run, ({ phase }) => phase === 'awaiting-approval')).toMatchObject({ digest });
  await rig.approve(run);
  expect(await run.result()).toMatchObject({ outcome: 'done' });
});

test('a store is all that a conversation needs: another process reads it', async () => {
  const other = createDrafts(createFileStore(rig.store.place));
  expect((await other.list('agent')).entries.map(({ kind }) => kind)).toEqual(['draft', 'handed-off']);
  expect((await createDrafts(await openStore()).list('agent')).total).toBe(0);
});

function valueOf(result: unknown): { readonly workflowId: string; readonly digest: string } {
  return (result as { readonly value: { readonly workflowId: string; readonly digest: string } }).value;
}
