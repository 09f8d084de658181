/** The reactive story of the control room without a server: limits, arming, stale readings and cards. */

import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Capability } from '../../src/capabilities/index.ts';
import { orbitCapabilities } from '../../examples/control-room/orbit/capabilities.ts';
import { openCorrectors, type CorrectorRoom } from '../../examples/control-room/orbit/corrector-room.ts';
import { playCorrectors, type CorrectorRequest, type Deed } from '../../examples/control-room/orbit/corrector-rules.ts';
import { CORRECTOR_NAMES, CORRECTORS, type Corrector } from '../../examples/control-room/orbit/correctors.ts';
import { fileFolder } from '../support/folders.ts';

const folder = fileFolder('orbit');
let rooms = 0;
const freshRoom = () => openCorrectors(join(folder, `${++rooms}.jsonl`));

const ONE = 'CORR:1';
const arm = (device = ONE): Deed => ({ does: 'arm', device });
const pulse = (current: number, proposed: number, device = ONE): Deed => ({ does: 'pulse', device, current, proposed });
const SAFELY: Deed = { does: 'safe' };

/** Each under a key of its own, unless it names one. */
type Sent = Deed | readonly [deed: Deed, key: string];
function requestsOf(...sent: readonly Sent[]): readonly CorrectorRequest[] {
  return sent.map((one, at) => {
    const [deed, key] = 'does' in one ? [one, `key ${at}`] : one;
    return { id: `${at}`, at: `second ${at}`, pid: 1, key, ...deed };
  });
}

/** The verdict, or the name of the refusal. */
function verdictsOf(...sent: readonly Sent[]): readonly string[] {
  return playCorrectors(requestsOf(...sent)).entries.map(({ verdict, reason }) => reason?.split(':')[0] ?? verdict);
}

describe('what the correctors do with requests', () => {
  test.each<[what: string, sent: readonly Sent[], verdicts: readonly string[]]>([
    ['an armed one takes a pulse', [arm(), pulse(0, 0.5)], ['applied', 'applied']],
    ['one that is not armed takes none', [pulse(0, 0.5)], ['NOT_ARMED']],
    [
      'it disarms by itself after its pulse',
      [arm(), pulse(0, 0.5), pulse(0.5, 1)],
      ['applied', 'applied', 'NOT_ARMED'],
    ],
    ['arming one arms no other', [arm('CORR:2'), pulse(0, 0.5)], ['applied', 'NOT_ARMED']],
    ['a refused pulse leaves it armed', [arm(), pulse(0, 2), pulse(0, 0.5)], ['applied', 'OUT_OF_LIMITS', 'applied']],
    ['a reading that does not hold any more is refused', [arm(), pulse(0.1, 0.2)], ['applied', 'STALE_READING']],
    [
      'also where another pulse came between the reading and the write',
      [arm(), pulse(0, 0.3), arm(), pulse(0, 0.5)],
      ['applied', 'applied', 'applied', 'STALE_READING'],
    ],
    ['more than one step is refused', [arm(), pulse(0, 0.501)], ['applied', 'OUT_OF_LIMITS']],
    [
      'the very limit is taken, in steps',
      [arm(), pulse(0, 0.5), arm(), pulse(0.5, 1)],
      ['applied', 'applied', 'applied', 'applied'],
    ],
    [
      'the noise of binary fractions is no step',
      [arm(), pulse(0, -0.2), arm(), pulse(-0.2, 0.3)],
      ['applied', 'applied', 'applied', 'applied'],
    ],
    ['what is no number is refused', [arm(), pulse(0, Number.NaN)], ['applied', 'OUT_OF_LIMITS']],
    [
      'a device that is not there is refused',
      [arm('CORR:3'), arm('constructor')],
      ['UNKNOWN_DEVICE', 'UNKNOWN_DEVICE'],
    ],
    [
      'a repeated key is recognised, though it is disarmed and stands elsewhere by then',
      [
        [arm(), 'a'],
        [pulse(0, 0.5), 'b'],
        [pulse(0, 0.5), 'b'],
      ],
      ['applied', 'applied', 'recognised'],
    ],
    [
      'the way to safety disarms all',
      [arm(), arm('CORR:2'), SAFELY, pulse(0, 0.5)],
      ['applied', 'applied', 'applied', 'NOT_ARMED'],
    ],
  ])('%s', (_, sent, verdicts) => {
    expect(verdictsOf(...sent)).toEqual(verdicts);
  });

  test('whatever is sent: set points stay in their limits, each arming gives one pulse at most, a key is applied once', () => {
    const devices = fc.constantFrom(...CORRECTOR_NAMES);
    const values = fc.constantFrom(0, 0.25, 0.5);
    const pulsing = fc.record({
      does: fc.constant('pulse' as const),
      device: devices,
      current: values,
      proposed: values,
    });
    const deed = fc.oneof<fc.WeightedArbitrary<Deed>[]>(
      { weight: 4, arbitrary: devices.map((device) => arm(device)) },
      { weight: 8, arbitrary: pulsing },
      { weight: 2, arbitrary: fc.constantFrom(pulse(0, -3), pulse(0, 3), pulse(0.5, 1)) },
      { weight: 1, arbitrary: fc.constant(SAFELY) },
    );
    const keys = fc.nat(40).map(String);
    const sent = fc.array(fc.tuple(deed, keys), { maxLength: 40 });
    fc.assert(
      fc.property(sent, (all) => {
        const { entries, setPoints } = playCorrectors(requestsOf(...all));
        const applied = entries.filter(({ verdict }) => verdict === 'applied');
        expect(new Set(applied.map(({ key }) => key)).size).toBe(applied.length);
        for (const device of CORRECTOR_NAMES) {
          const { min, max } = CORRECTORS[device];
          expect(setPoints[device] >= min && setPoints[device] <= max).toBe(true);
          // Right before each pulse of a device stands what armed it.
          const own = applied.filter((one) => one.does === 'safe' || one.device === device);
          own.forEach(({ does }, at) => expect(does === 'pulse' ? own[at - 1]?.does : 'arm').toBe('arm'));
        }
      }),
      { seed: 7, numRuns: 300 },
    );
  });
});

const READING = { device: ONE, setPoint: 0, armed: true, limits: CORRECTORS[ONE] };
const PROPOSAL = { device: ONE as Corrector, current: 0, proposed: 0.25, limits: CORRECTORS[ONE], from: 2 };

function capability(name: string, room: CorrectorRoom): Capability {
  return orbitCapabilities(room).find((one) => one.name === name) as Capability;
}

/** Carries a pulse out in a room in which its device is armed. */
async function pulsed(change: object, read: object = READING, room = freshRoom()) {
  room.send(arm(), 'armed');
  const { input, execute } = capability('corrector.pulse', room);
  const inputs = [{ name: 'step_2', read: async () => ({ kind: 'value', value: read }) }];
  const given = { arguments: input.parse({ ...PROPOSAL, ...change }), inputs, idempotencyKey: 'k' };
  const outcome = await Promise.resolve(execute(given as never)).catch((error: unknown) => error);
  const arrived = room.look().entries.filter(({ does }) => does === 'pulse').length;
  return { outcome, arrived, setPoint: room.look().setPoints[ONE] };
}

test.each<[what: string, change: object, read: object | undefined, name: string, arrived: number]>([
  ['whose reading is of another value', { current: 0.1 }, undefined, 'WRONG_READING', 0],
  ['whose reading is of another device', {}, { ...READING, device: 'CORR:2' }, 'WRONG_READING', 0],
  ['whose reading is of a monitor', {}, { monitor: 'BPM:1:X', value: 0 }, 'WRONG_READING', 0],
  ['that names a step it is not given', { from: 7 }, undefined, 'NO_SUCH_READING', 0],
  ['whose reading is out of date', { current: 0.1 }, { ...READING, setPoint: 0.1 }, 'STALE_READING', 1],
])('a proposal: %s is refused by its name, and nothing is written', async (_, change, read, name, arrived) => {
  const done = await pulsed(change, read);
  expect(done).toMatchObject({ arrived, setPoint: 0, outcome: { errorClass: 'REPLANNING' } });
  expect((done.outcome as Error).message).toMatch(new RegExp(`^${name}: .*Nothing was written\\.$`));
});
