/** The devices of the room: its channels, with the bounds that the hardware itself keeps. */

export interface Supply {
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  /** The most that one write may change it by. */
  readonly ramp: number;
  /** The value of a fresh room. */
  readonly atFirst: number;
}

/** Set points that can be written; a repeated write under one key is recognised. */
export const SUPPLIES = {
  'STEER:1:OFFSET': { unit: 'mm', min: -2, max: 2, ramp: 1, atFirst: 0 },
  'QUAD:1:CURRENT': { unit: 'A', min: 0, max: 120, ramp: 10, atFirst: 40 },
} as const satisfies { readonly [channel: string]: Supply };

/** They know no keys: every request that arrives fires. */
export const SHUTTERS = ['SHUTTER:1'] as const;
export const LONGEST_PULSE_MS = 500;

export type SupplyChannel = keyof typeof SUPPLIES;
export type ShutterChannel = (typeof SHUTTERS)[number];

/** The values that the monitors see, given the set points and the pulses fired so far. */
const MONITORS = {
  'BPM:1:X': { unit: 'mm', value: (room: Levels) => room.setPoints['STEER:1:OFFSET'] - 0.42 },
  'BPM:1:WIDTH': { unit: 'mm', value: (room: Levels) => 1.8 - (room.setPoints['QUAD:1:CURRENT'] - 40) / 50 },
  'RING:1:CURRENT': { unit: 'mA', value: () => 198.5 },
  'SHUTTER:1:PULSES': { unit: 'pulses', value: (room: Levels) => room.pulses['SHUTTER:1'] },
} as const;

export interface Levels {
  readonly setPoints: Readonly<Record<SupplyChannel, number>>;
  readonly pulses: Readonly<Record<ShutterChannel, number>>;
}

export interface Reading {
  readonly channel: string;
  readonly value: number;
  readonly unit: string;
}

export const SUPPLY_CHANNELS = Object.keys(SUPPLIES) as [SupplyChannel, ...SupplyChannel[]];
export const READABLE = [...Object.keys(MONITORS), ...SUPPLY_CHANNELS] as [string, ...string[]];

/** Undefined for a channel that is not there. */
export function readingOf(channel: string, levels: Levels): Reading | undefined {
  if (isSupply(channel)) return { channel, value: levels.setPoints[channel], unit: SUPPLIES[channel].unit };
  if (!Object.hasOwn(MONITORS, channel)) return undefined;
  const { unit, value } = MONITORS[channel as keyof typeof MONITORS];
  return { channel, value: toHundredths(value(levels)), unit };
}

export function isSupply(channel: string): channel is SupplyChannel {
  return Object.hasOwn(SUPPLIES, channel);
}

export function isShutter(channel: string): channel is ShutterChannel {
  return SHUTTERS.includes(channel as ShutterChannel);
}

/** The monitors show two decimals. */
function toHundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
