/** `approve --plan`: one word for equal plans, a decision of its own for each run, and what becomes of a plan that was edited meanwhile. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPlans, perform, type Plans } from '../../src/operations/index.ts';
import { createProject, word, writePlan, type Project } from './project.ts';
import type { OutputOf } from '../../src/operations/perform.ts';

type Approved = Extract<OutputOf<'approve'>, { approved: unknown }>;

let project: Project;
let plans: Plans;
beforeAll(async () => {
  project = createProject();
  await project.startWorker();
  const address = process.env['TEMPORAL_ADDRESS'];
  process.env['TEMPORAL_ADDRESS'] = project.env['TEMPORAL_ADDRESS'];
  plans = openPlans({ readsConfig: false, store: project.env['PLANWRIGHT_STORE'], taskQueue: project.taskQueue });
  await plans.session();
  if (address === undefined) delete process.env['TEMPORAL_ADDRESS'];
  else process.env['TEMPORAL_ADDRESS'] = address;
});
afterAll(async () => {
  await plans.close();
  await project.close();
});

/** So many runs of one plan, which wait for its approval and are known to the server's list. */
async function waiting(goal: string, count: number): Promise<{ ids: readonly string[]; digest: string }> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) ids.push(await project.detach({ goal, plan: word('ab') }));
  const { digest } = await project.until(ids[0]!, ({ waitingFor }) => waitingFor === 1);
  const listed = async () => (await perform('inbox', plans, { plan: digest, limit: 1000 })).items;
  await expect.poll(listed).toHaveLength(count);
  return { ids: ids.toSorted(), digest };
}
const idsOf = (list: readonly { readonly workflowId: string }[]) => list.map(({ workflowId }) => workflowId).toSorted();

test(
  'lets every run of it go on, the inbox and the list have told how many there are, and others go on waiting',
  { tags: ['slow'] },
  async () => {
    const { ids, digest } = await waiting('Equal', 3);
    const other = await waiting('Another', 1);
    const inbox = await project.type('inbox', '--plan', digest);
    expect(inbox.stdout).toMatch(new RegExp(`^3 runs of plan ${digest.slice(0, 8)} {2}approval for anyone, since `));
    expect(inbox.stdout).toContain(`\n  all: planwright approve --plan ${digest.slice(0, 8)}\n`);
    const list = await project.type('list', '--plan', digest.slice(0, 8));
    expect(list.stdout).toMatch(
      new RegExp(`^Equal\n  plan ${digest.slice(0, 8)}, 3 runs: 3 awaiting-approval; waits for a person: 3\n`),
    );

    const told = await project.json<Approved>('approve', '--plan', digest.slice(0, 8), '--by', 'reviewer');
    expect(told).toMatchObject({ code: 0, ok: true, digest, refused: [] });
    expect(idsOf(told.approved)).toEqual(ids);
    for (const id of ids) await project.until(id, ({ outcome }) => outcome === 'done');
    const { entries } = await project.json<'trace'>('trace', ids[0]!);
    expect(entries.find(({ what }) => what === 'decision')?.said).toMatchObject({
      digest,
      revision: 1,
      by: 'reviewer',
    });
    expect(await project.until(other.ids[0]!, () => true)).toMatchObject({ phase: 'awaiting-approval' });

    const again = await project.json<Approved>('approve', '--plan', digest);
    expect(again).toMatchObject({ code: 2, error: { code: 'REFUSED' } });
    expect(again.error?.message).toContain(`no run waits for the approval of plan ${digest}`);
  },
);

test(
  'refuses the run whose plan was edited after it was shown, and says so; the others go on',
  { tags: ['slow'] },
  async () => {
    const { ids, digest } = await waiting('Edited', 3);
    const { groups } = await perform('inbox', plans, { plan: digest, limit: 100 });
    const [edited = ''] = ids;
    const file = writePlan(project.folder, { goal: 'Edited', plan: word('xyz') });
    await project.type('edit', edited, '--digest', digest, '--plan', file);
    const told = (await perform('approve', plans, { plan: digest, by: 'reviewer', runs: groups[0]?.runs })) as Approved;
    expect(idsOf(told.approved)).toEqual(ids.slice(1));
    expect(told.refused).toMatchObject([{ workflowId: edited, code: 'STALE', refusal: 'stale-digest' }]);
    expect(told.refused[0]?.message).toContain(`the decision names digest ${digest.slice(0, 8)}, the open plan is `);
    expect(await project.until(edited, () => true)).toMatchObject({ phase: 'awaiting-approval', revision: 2 });
    for (const id of ids.slice(1)) await project.until(id, ({ outcome }) => outcome === 'done');
  },
);
