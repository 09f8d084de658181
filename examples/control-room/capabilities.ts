/** The capabilities of this demo: its steps in the device room. */

import { z } from 'zod';
import { CapabilityError, NotApplied, defineCapability, type WorkCapability } from 'planwright/capabilities';
import { LONGEST_PULSE_MS, READABLE, SHUTTERS, SUPPLIES, SUPPLY_CHANNELS, type SupplyChannel } from './channels.ts';
import type { DeviceRoom } from './device-room.ts';

/** A worker beats every 3 s, and the room answers at once: silence of 5 s means a dead worker. */
const timeout = { heartbeatMs: 5000 };

export function roomCapabilities(room: DeviceRoom): readonly WorkCapability[] {
  return [channelRead(room), supplySet(room), shutterPulse(room)];
}

function channelRead(room: DeviceRoom) {
  return defineCapability({
    name: 'channel.read',
    description: `Reads one channel of the device room (${READABLE.join(', ')}).`,
    input: z.strictObject({ channel: z.enum(READABLE) }),
    output: 'value',
    effect: 'read',
    timeout,
    execute: ({ arguments: { channel } }) => ({ ...room.read(channel) }),
  });
}

/**
 * People see what a write changes, and are asked again if somebody has moved the supply meanwhile. A line that breaks is
 * an ordinary error: the room knows the key of a write that is sent again.
 */
function supplySet(room: DeviceRoom) {
  return defineCapability({
    name: 'supply.set',
    description: `Writes the set point of one supply (${SUPPLY_CHANNELS.join(', ')}).`,
    input: z.strictObject({ channel: z.enum(SUPPLY_CHANNELS), value: z.number() }),
    output: 'value',
    effect: 'idempotent',
    timeout,
    look({ arguments: { channel, value } }) {
      const { value: now, unit } = room.read(channel);
      return Promise.resolve({
        // oxlint-disable-next-line unicorn/no-thenable -- a text, which nothing awaits
        shows: [{ what: channel, now: `${now} ${unit}`, then: `${value} ${unit}` }],
        state: now,
      });
    },
    execute({ arguments: { channel, value }, idempotencyKey: key }) {
      const { verdict, reason } = room.send({ channel, value, key });
      if (verdict === 'refused') throw new CapabilityError('CRITICAL', `the room refused it: ${reason}`);
      return { channel, value, was: valueBefore(room, channel, key), unit: SUPPLIES[channel].unit };
    },
    inverse: ({ arguments: { channel } }, result) => ({
      capability: 'supply.set',
      arguments: { channel, value: (result as { readonly was: number }).was },
    }),
  });
}

/** From the record: a repeated attempt finds the supply at the value that the first one has written. */
function valueBefore(room: DeviceRoom, channel: SupplyChannel, key: string): number {
  const applied = room.look().entries.filter((entry) => entry.channel === channel && entry.verdict === 'applied');
  const at = applied.findIndex((entry) => entry.key === key);
  return applied[at - 1]?.value ?? SUPPLIES[channel].atFirst;
}

/**
 * A line that breaks leaves open whether it fired, and every request fires. So the probe looks into the room's record of
 * what has arrived.
 */
function shutterPulse(room: DeviceRoom) {
  return defineCapability({
    name: 'shutter.pulse',
    description: `Opens a shutter once (${SHUTTERS.join(', ')}).`,
    input: z.strictObject({ shutter: z.enum(SHUTTERS), milliseconds: z.int().min(1).max(LONGEST_PULSE_MS) }),
    output: 'value',
    effect: 'at-most-once',
    timeout,
    verify({ arguments: { shutter }, idempotencyKey }) {
      const { entries, pulses } = room.look();
      const hasFired = entries.some(({ key, verdict }) => key === idempotencyKey && verdict === 'applied');
      return hasFired ? { happened: true, result: { shutter, pulses: pulses[shutter] } } : { happened: false };
    },
    execute({ arguments: { shutter, milliseconds }, idempotencyKey: key }) {
      const { verdict, reason } = room.send({ channel: shutter, value: milliseconds, key });
      if (verdict === 'refused') throw new NotApplied(`the room refused it: ${reason}`);
      return { shutter, pulses: room.look().pulses[shutter] };
    },
  });
}
