/**
 * The capabilities at the orbit. A pulse carries in its arguments what a person approves it by: the value that stands, the one
 * that is proposed, the limits and the step whose reading it is from. All four are part of the digest, and all four are checked,
 * so that what is approved is what runs, or nothing is.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { CapabilityError, defineCapability, type TaskInput, type WorkCapability } from 'planwright/capabilities';
import { CORRECTOR_NAMES, CORRECTORS, limitsInWords, MONITOR_NAMES, outOfLimits, positionAt } from './correctors.ts';
import type { CorrectorRoom } from './corrector-room.ts';
import type { CorrectorEntry } from './corrector-rules.ts';

/** A worker beats every 3 s, and the room answers at once: silence of 5 s means a dead worker. */
const timeout = { heartbeatMs: 5000 };

/** The one write that waits for nobody. */
export const SAFE = 'corrector.safe';

const device = z.enum(CORRECTOR_NAMES);

export const pulseInput = z
  .strictObject({
    device,
    /** The value at which the device stands, as it was read. */
    current: z.number(),
    proposed: z.number(),
    /** As the device declares them. */
    limits: z.strictObject({ min: z.number(), max: z.number(), step: z.number(), unit: z.string() }),
    /** The number of the step whose reading `current` is; the name of a step would stand for its result. */
    from: z.int().transform((number) => `step_${number}`),
  })
  .superRefine(({ device: name, current, proposed, limits }, context) => {
    const declared = CORRECTORS[name];
    const isDeclared = (['min', 'max', 'step', 'unit'] as const).every((key) => limits[key] === declared[key]);
    const message = `WRONG_LIMITS: ${name} declares ${limitsInWords(declared)}`;
    if (!isDeclared) context.addIssue({ code: 'custom', path: ['limits'], message });
    const wrong = outOfLimits(name, current, proposed);
    if (wrong !== undefined) context.addIssue({ code: 'custom', path: ['proposed'], message: wrong });
  });

/** @param settleMs how long a corrector takes after a pulse until the answer comes, in milliseconds. Default 0. */
export function orbitCapabilities(room: CorrectorRoom, settleMs = 0): readonly WorkCapability[] {
  return [beamRead(room), correctorRead(room), correctorArm(room), correctorPulse(room, settleMs), makeSafe(room)];
}

function beamRead(room: CorrectorRoom) {
  return defineCapability({
    name: 'beam.read',
    description: `Reads where a monitor sees the beam, in mm beside the centre (${MONITOR_NAMES.join(', ')}).`,
    input: z.strictObject({ monitor: z.enum(MONITOR_NAMES) }),
    output: 'value',
    effect: 'read',
    provides: ['BEAM_POSITION'],
    timeout,
    execute: ({ arguments: { monitor } }) => ({ monitor, value: positionAt(monitor, room.look()), unit: 'mm' }),
  });
}

function correctorRead(room: CorrectorRoom) {
  return defineCapability({
    name: 'corrector.read',
    description: `Reads a corrector: set point, limits, and whether it is armed (${CORRECTOR_NAMES.join(', ')}).`,
    input: z.strictObject({ device }),
    output: 'value',
    effect: 'read',
    provides: ['SET_POINT'],
    timeout,
    execute({ arguments: { device: name } }) {
      const { setPoints, armed } = room.look();
      return { device: name, setPoint: setPoints[name], armed: armed[name], limits: CORRECTORS[name] };
    },
  });
}

function correctorArm(room: CorrectorRoom) {
  return defineCapability({
    name: 'corrector.arm',
    description: 'Arms a corrector for one pulse, after which it disarms by itself.',
    input: z.strictObject({ device }),
    output: 'value',
    effect: 'idempotent',
    resource: ({ device: name }) => name,
    timeout,
    execute({ arguments: { device: name }, idempotencyKey: key }) {
      applied(room.send({ does: 'arm', device: name }, key));
      return { device: name, armed: true };
    },
  });
}

function correctorPulse(room: CorrectorRoom, settleMs: number) {
  return defineCapability({
    name: 'corrector.pulse',
    description: 'Changes the set point of an armed corrector from the value that it was read at to another.',
    input: pulseInput,
    output: 'value',
    effect: 'idempotent',
    resource: ({ device: name }) => name,
    requires: ['BEAM_POSITION', 'SET_POINT'],
    timeout,
    async execute({ arguments: { device: name, current, proposed, from }, inputs, idempotencyKey: key, signal }) {
      await checkSource(inputs, { device: name, current, from });
      applied(room.send({ does: 'pulse', device: name, current, proposed }, key));
      await pause(settleMs, undefined, { signal });
      return { device: name, setPoint: proposed, unit: CORRECTORS[name].unit };
    },
  });
}

/** It writes to every corrector and names no resource: nothing that is under way may hold it up. */
function makeSafe(room: CorrectorRoom) {
  return defineCapability({
    name: SAFE,
    description: 'Disarms every corrector at once. Waits for nobody.',
    input: z.strictObject({}),
    output: 'value',
    effect: 'idempotent',
    timeout,
    execute({ idempotencyKey: key }) {
      applied(room.send({ does: 'safe' }, key));
      return { armed: [] };
    },
  });
}

interface Source {
  readonly device: string;
  readonly current: number;
  readonly from: string;
}

/** The source of a proposal must be a reading that its step was given, of that device and that value. */
async function checkSource(inputs: readonly TaskInput[], { device: name, current, from }: Source): Promise<void> {
  const input = inputs.find((one) => one.name === from);
  if (input === undefined) {
    const given = inputs.map((one) => one.name).join(', ');
    throw refused(`NO_SUCH_READING: it says it is from ${from}, and its step is given ${given || 'nothing'}`);
  }
  const result = await input.read();
  const read = (result.kind === 'value' ? result.value : {}) as { device?: unknown; setPoint?: unknown };
  if (read.device === name && read.setPoint === current) return;
  throw refused(`WRONG_READING: ${from} did not read ${name} at ${current}; it read ${JSON.stringify(read)}`);
}

function applied({ verdict, reason = '' }: CorrectorEntry): void {
  if (verdict === 'refused') throw refused(reason);
}

/** The device was not written to, and another attempt would not change that: another decision is needed. */
function refused(reason: string): CapabilityError {
  return new CapabilityError('REPLANNING', `${reason}. Nothing was written.`);
}
