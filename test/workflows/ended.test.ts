/** A run that is ended from outside, before it has heard of everything, can still be asked how far it had come. */

import { expect, test } from 'vitest';
import { UNHEARD } from '../../src/protocol/index.ts';
import { ids } from '../support/capabilities.ts';
import { idsOf } from '../support/plans.ts';
import { plansOf, sharedRig } from '../support/rig.ts';

const rig = await sharedRig({ capabilities: [ids] });
const plans = plansOf(rig);

test('a run that is terminated while no worker hears its signals answers as it was before them', async () => {
  const started = await plans.start({ goal: 'ids', plan: idsOf('a') });
  if (!started.ok) throw new Error(JSON.stringify(started.issues));
  const { run, plan } = started;
  const handle = rig.client.workflow.getHandle(run.workflowId);
  const before = await rig.until(handle, ({ waitingFor }) => waitingFor > 0);
  await rig.stopWorker();
  await handle.signal('decide', { kind: 'approve', digest: plan.digest, by: 'operator' });
  await handle.terminate('no worker was there');
  await rig.startWorker();
  const { historyLength } = await handle.describe();
  const query = (page: object) => handle.query('status', page);
  await expect(query({})).rejects.toThrow(UNHEARD);
  await expect(query({ ended: historyLength - 1 })).rejects.toThrow(UNHEARD);
  expect(await query({ ended: historyLength })).toEqual(before);
  expect((await run.view(['status'])).status).toEqual(before);
});
