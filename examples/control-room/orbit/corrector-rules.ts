/**
 * The effect of the requests to the correctors, as a pure fold over them in the order in which they arrived. The check of a request
 * and what it does are one step: nothing can come between the value that it expects and the one that it writes.
 */

import { CORRECTOR_NAMES, CORRECTORS, isCorrector, outOfLimits, type Corrector, type Orbit } from './correctors.ts';

export type Deed =
  | { readonly does: 'arm'; readonly device: string }
  /** Written only where the device still stands at `current`. */
  | { readonly does: 'pulse'; readonly device: string; readonly current: number; readonly proposed: number }
  /** Disarms every corrector; refused never. */
  | { readonly does: 'safe' };

/** A deed as it arrived. */
export type CorrectorRequest = Deed & {
  readonly id: string;
  /** ISO 8601, by the clock of the sender. */
  readonly at: string;
  /** Process id of the sender. */
  readonly pid: number;
  /** The sender's idempotency key. */
  readonly key: string;
};

/** The outcome of a request. */
export type CorrectorEntry = CorrectorRequest & {
  /** `recognised`: a request with this key was applied before, so nothing was done. */
  readonly verdict: 'applied' | 'recognised' | 'refused';
  /** Why it was refused: a name, and a sentence. */
  readonly reason?: string;
};

export interface CorrectorState extends Orbit {
  readonly entries: readonly CorrectorEntry[];
}

export function playCorrectors(requests: readonly CorrectorRequest[]): CorrectorState {
  const setPoints = each(0);
  const armed = each(false);
  const applied = new Set<string>();
  const entries = requests.map((request): CorrectorEntry => {
    // Before all else: what has been done may have changed what it was checked against.
    if (applied.has(request.key)) return { ...request, verdict: 'recognised' };
    const reason = refusalOf(request, { setPoints, armed });
    if (reason !== undefined) return { ...request, verdict: 'refused', reason };
    applied.add(request.key);
    if (request.does === 'safe') Object.assign(armed, each(false));
    else armed[request.device as Corrector] = request.does === 'arm';
    if (request.does === 'pulse') setPoints[request.device as Corrector] = request.proposed;
    return { ...request, verdict: 'applied' };
  });
  return { setPoints, armed, entries };
}

function each<Value>(value: Value): Record<Corrector, Value> {
  return Object.fromEntries(CORRECTOR_NAMES.map((one) => [one, value])) as Record<Corrector, Value>;
}

function refusalOf(deed: Deed, { setPoints, armed }: Orbit): string | undefined {
  if (deed.does === 'safe') return undefined;
  const { device } = deed;
  if (!isCorrector(device)) {
    return `UNKNOWN_DEVICE: there is no corrector ${JSON.stringify(device)}; there are ${CORRECTOR_NAMES.join(', ')}`;
  }
  if (deed.does === 'arm') return undefined;
  const { current, proposed } = deed;
  const wrong = outOfLimits(device, current, proposed);
  if (wrong !== undefined) return wrong;
  if (!armed[device])
    return `NOT_ARMED: ${device} takes a pulse when it is armed, and disarms after each; arm it first`;
  const now = setPoints[device];
  if (now === current) return undefined;
  const { unit } = CORRECTORS[device];
  return `STALE_READING: ${device} stands at ${now} ${unit}, and what was approved begins at ${current}; read it again`;
}
