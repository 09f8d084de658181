/** What the proof of the reactive story sees in ledgers that are not as they must be. */

import { describe, expect, test } from 'vitest';
import { playCorrectors, type CorrectorRequest } from '../../examples/control-room/orbit/corrector-rules.ts';
import { proofOfOrbit, type Said } from '../../examples/control-room/orbit/story/orbit-proof.ts';
import type { LedgerEntry } from '../../examples/stage/index.ts';

type Written = Said['deed'];
const arm = (): Written => ({ does: 'arm', device: 'CORR:1' });
const pulse = (current: number, proposed: number): Written => ({ does: 'pulse', device: 'CORR:1', current, proposed });

type Sent = readonly [deed: Written, key: string];
function requestsOf(...sent: readonly Sent[]): readonly CorrectorRequest[] {
  return sent.map(([deed, key], at) => ({ id: `${at}`, at: `second ${at}`, pid: 1, key, ...deed }));
}

describe('the proof', () => {
  const approved = (deed: Written): Said => ({ step: 's', deed, word: 'approved' });
  const said: readonly Said[] = [
    { step: 's', deed: pulse(0, 0.5), word: 'rejected' },
    approved(arm()),
    approved(pulse(0, 0.25)),
  ];
  const attempt = (idempotencyKey: string, what: LedgerEntry['what'], pid = 1): LedgerEntry => ({
    ...{ what, idempotencyKey, pid, workflowId: 'w', nodeId: 'node_1', attempt: 1, at: 'now' },
  });
  const sent: readonly Sent[] = [
    [arm(), 'a'],
    [pulse(0, 0.25), 'b'],
    [pulse(0, 0.25), 'b'],
  ];
  const attempts = [attempt('a', 'started'), attempt('a', 'succeeded'), attempt('b', 'started')];
  const again = [attempt('b', 'started', 2), attempt('b', 'succeeded', 2)];
  const kill = { pid: 1, key: 'b' };

  test.each<[what: string, sent: readonly Sent[], attempts: readonly LedgerEntry[], faults: readonly RegExp[]]>([
    ['is content with each write once, one of them recognised', sent, [...attempts, ...again], []],
    [
      'sees what was rejected and arrived all the same',
      [...sent, [pulse(0, 0.5), 'c']],
      [...attempts, ...again],
      [/0 -> 0.5 was approved 0 times.*1 keys/],
    ],
    [
      'sees what was approved and never arrived',
      sent.slice(1),
      [...attempts, ...again],
      [/^arm CORR:1 was approved 1 times.*0 keys/],
    ],
    [
      'sees what came under a second key',
      [...sent, [pulse(0, 0.25), 'c']],
      [...attempts, ...again],
      [/0.25 was approved 1 times.*2 keys/],
    ],
    [
      'sees a device that is left armed',
      [...sent, [arm(), 'a2']],
      [...attempts, ...again],
      [/^arm.*2 keys/, /CORR:1 was left armed/],
    ],
    [
      'sees two writes to one device at once',
      sent,
      [attempt('a', 'started'), attempt('b', 'started'), attempt('a', 'succeeded'), ...again],
      [/written to twice at once/],
    ],
    ['sees a kill that came too late', sent, [...attempts, attempt('b', 'succeeded'), ...again], [/killed too late/]],
    ['sees a write that nobody took up', sent.slice(0, 2), attempts, [/not taken up/]],
  ])('%s', (_, arrived, begun, faults) => {
    const proof = proofOfOrbit({ said, room: playCorrectors(requestsOf(...arrived)), attempts: begun, kill });
    expect(proof.faults).toEqual(faults.map((fault) => expect.stringMatching(fault)));
  });

  test('sees a write that was done twice', () => {
    const room = playCorrectors(requestsOf(...sent));
    const twice = room.entries.map((entry) => ({ ...entry, verdict: 'applied' as const }));
    const { faults } = proofOfOrbit({ said, room: { ...room, entries: twice }, attempts: [...attempts, ...again] });
    expect(faults).toEqual(['pulse CORR:1 0 -> 0.25 was written 2 times.']);
  });
});
