import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { createKeyPair } from '../../src/protocol/identity/index.ts';
import { ids } from '../support/capabilities.ts';
import { idsOf, planOf } from '../support/plans.ts';
import { sharedRig } from '../support/rig.ts';
import { signedTo } from '../support/chain-of.ts';

const operator = createKeyPair();
const authority = createKeyPair();
const rig = await sharedRig({
  capabilities: [ids],
  identity: {
    keys: {
      operator: { publicKey: operator.publicKey, subject: 'operator', roles: ['operator'] },
      desk: { publicKey: authority.publicKey },
    },
  },
});

const sign = async (run: WorkflowHandle, message: object, over: Parameters<typeof signedTo>[3] = {}) => ({
  token: await signedTo(run, operator.privateKey, message, { kid: 'operator', ...over }),
});

describe('with keys in the configuration', () => {
  test('an unsigned decision is refused, by update and by signal, and the plan waits', async () => {
    const { run, digest } = await rig.startAsked(planOf(idsOf('a')));
    expect(await rig.say(run, 'decide', { kind: 'approve', digest, by: 'operator' })).toContain('signed messages only');
    await run.signal('approve', { digest, by: 'operator' });
    await run.signal('control', { action: 'pause', by: 'operator' });
    expect(await rig.until(run, () => true)).toMatchObject({ phase: 'awaiting-approval' });
    expect(await rig.say(run, 'decide', await sign(run, { kind: 'approve', digest }, { role: 'operator' }))).toBe(
      'approved',
    );
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(await rig.trace(run, 'decision')).toMatchObject([
      { said: { by: 'operator', role: 'operator', verified: true } },
    ]);
    expect(await rig.trace(run, 'refused')).toHaveLength(2);
  });

  test('a token is used once, carries all that is said, and nothing stands beside it', async () => {
    const { run, digest } = await rig.startAsked(planOf(idsOf('a'), { approval: { rules: [{ count: 2 }] } }));
    const approve = await sign(run, { kind: 'approve', digest });
    expect(await rig.say(run, 'decide', { ...approve, digest })).toContain('belongs inside what is signed');
    expect(await rig.say(run, 'decide', approve)).toContain('still to be approved');
    expect(await rig.say(run, 'decide', await sign(run, { kind: 'withdraw', digest }))).toContain('taken back');
    // Sent again it is answered as it was the first time, and approves nothing again.
    expect(await rig.say(run, 'decide', approve)).toContain('still to be approved');
    expect((await rig.open(run))[0]?.text).not.toContain('operator');
    const desk = { key: authority.privateKey, kid: 'desk' };
    await rig.say(run, 'decide', await sign(run, { kind: 'approve', digest }, { ...desk, by: 'reviewer' }));
    await rig.say(run, 'decide', await sign(run, { kind: 'approve', digest }, { ...desk, by: 'clerk' }));
    expect(await run.result()).toMatchObject({ outcome: 'done' });
  });
});
