/** The devices at the orbit: correctors, with the limits that they declare, and the monitors that see the beam. Simulated. */

export interface Limits {
  readonly min: number;
  readonly max: number;
  /** The most that one pulse may change it by. */
  readonly step: number;
  readonly unit: string;
}

/** A corrector takes a pulse when it is armed, and disarms by itself after it. */
export const CORRECTORS = {
  'CORR:1': { min: -1, max: 1, step: 0.5, unit: 'mrad' },
  'CORR:2': { min: -0.8, max: 0.8, step: 0.4, unit: 'mrad' },
} as const satisfies { readonly [device: string]: Limits };

export type Corrector = keyof typeof CORRECTORS;
export const CORRECTOR_NAMES = Object.keys(CORRECTORS) as [Corrector, ...Corrector[]];

export interface Orbit {
  readonly setPoints: Readonly<Record<Corrector, number>>;
  readonly armed: Readonly<Record<Corrector, boolean>>;
}

/** The position at which each monitor sees the beam, in mm beside the centre. */
const MONITORS = {
  'BPM:1:X': ({ 'CORR:1': first }: Orbit['setPoints']) => 1.68 * first - 0.42,
  'BPM:2:X': ({ 'CORR:2': second }: Orbit['setPoints']) => 0.9 * second + 0.09,
};

export type Monitor = keyof typeof MONITORS;
export const MONITOR_NAMES = Object.keys(MONITORS) as [Monitor, ...Monitor[]];

/** The monitors show two decimals. */
export function positionAt(monitor: Monitor, { setPoints }: Orbit): number {
  return Math.round(MONITORS[monitor](setPoints) * 100) / 100;
}

export function isCorrector(device: string): device is Corrector {
  return Object.hasOwn(CORRECTORS, device);
}

/** @example limitsInWords(CORRECTORS['CORR:1']) // '-1 to 1 mrad, at most 0.5 mrad at a time' */
export function limitsInWords({ min, max, step, unit }: Limits): string {
  return `${min} to ${max} ${unit}, at most ${step} ${unit} at a time`;
}

/** Why this device takes no such pulse, whatever state it is in; undefined where it may. */
export function outOfLimits(device: Corrector, current: number, proposed: number): string | undefined {
  const { min, max, step } = CORRECTORS[device];
  // Set points have three decimals; what is below them is the noise of binary fractions.
  const moved = Math.round(Math.abs(proposed - current) * 1000) / 1000;
  if (proposed >= min && proposed <= max && moved <= step) return undefined;
  return `OUT_OF_LIMITS: ${device} takes ${limitsInWords(CORRECTORS[device])}, not ${current} -> ${proposed}`;
}
