/**
 * The effect of the requests to the device room, as a pure fold over them in the order in which they arrived. The first of
 * equal keys counts, whoever sent the others.
 */

import {
  isShutter,
  isSupply,
  LONGEST_PULSE_MS,
  SHUTTERS,
  SUPPLIES,
  SUPPLY_CHANNELS,
  type Levels,
  type ShutterChannel,
  type SupplyChannel,
} from './channels.ts';
import { quote } from '../words.ts';

/** The key of somebody who turns a knob in the room itself: no line is there to break. */
export const AT_DEVICE = 'at the device';

/** A request as it arrived. */
export interface RoomRequest {
  /** Its own id: a request that is sent twice arrives as two. */
  readonly id: string;
  /** ISO 8601, by the clock of the sender. */
  readonly at: string;
  /** Process id of the sender. */
  readonly pid: number;
  readonly channel: string;
  /** The set point in the unit of the channel; of a shutter, for how many milliseconds it opens. */
  readonly value: number;
  /** The sender's idempotency key. */
  readonly key: string;
}

/** The outcome of a request. */
export interface RoomEntry extends RoomRequest {
  /** `recognised`: a request with this key was applied before, so nothing was done. */
  readonly verdict: 'applied' | 'recognised' | 'refused';
  /** Why it was refused. */
  readonly reason?: string;
  /** The sender got no answer. */
  readonly lineBroke: boolean;
}

export interface Room extends Levels {
  readonly entries: readonly RoomEntry[];
}

/** `breakLineAfter`: channels whose line breaks once, after the first request that is applied there. */
export function playRoom(requests: readonly RoomRequest[], breakLineAfter: readonly string[] = []): Room {
  const setPoints = Object.fromEntries(SUPPLY_CHANNELS.map((one) => [one, SUPPLIES[one].atFirst])) as SetPoints;
  const pulses = Object.fromEntries(SHUTTERS.map((one) => [one, 0])) as Record<ShutterChannel, number>;
  const applied = new Set<string>();
  const breaking = new Set(breakLineAfter);

  const entries = requests.map((request): RoomEntry => {
    const { channel, value, key } = request;
    const isKnown = applied.has(`${channel} ${key}`);
    if (isKnown) return { ...request, verdict: 'recognised', lineBroke: false };
    const reason = refusalOf(request, setPoints);
    if (reason !== undefined) return { ...request, verdict: 'refused', reason, lineBroke: false };
    if (isShutter(channel)) pulses[channel] += 1;
    else {
      applied.add(`${channel} ${key}`);
      setPoints[channel as SupplyChannel] = value;
    }
    return { ...request, verdict: 'applied', lineBroke: key !== AT_DEVICE && breaking.delete(channel) };
  });
  return { setPoints, pulses, entries };
}

type SetPoints = Record<SupplyChannel, number>;

/** The room does what it is told within its bounds, and nothing else. */
function refusalOf({ channel, value }: RoomRequest, setPoints: SetPoints): string | undefined {
  if (isShutter(channel)) {
    const fits = Number.isInteger(value) && value >= 1 && value <= LONGEST_PULSE_MS;
    return fits ? undefined : `${channel} opens for 1 to ${LONGEST_PULSE_MS} whole ms, not ${value}`;
  }
  if (!isSupply(channel)) return unknownChannel(channel, [...SUPPLY_CHANNELS, ...SHUTTERS]);
  const { unit, min, max, ramp } = SUPPLIES[channel];
  if (!(value >= min && value <= max)) return `${channel} takes ${min} to ${max} ${unit}, not ${value}`;
  const now = setPoints[channel];
  if (Math.abs(value - now) <= ramp) return undefined;
  return `${channel} is at ${now} ${unit} and moves by at most ${ramp} ${unit} at a time, not to ${value}`;
}

export function unknownChannel(channel: string, channels: readonly string[]): string {
  return `there is no channel ${quote(channel)} here; there are ${channels.join(', ')}`;
}
