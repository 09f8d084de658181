/** The proof that the ledgers give about the writes. Pure, so that a test can hand it ledgers that prove the contrary. */

import type { LedgerEntry } from '../../../stage/index.ts';
import type { CorrectorEntry, CorrectorState, Deed } from '../corrector-rules.ts';

/** The operator's word about a card. */
export interface Said {
  readonly step: string;
  readonly deed: Exclude<Deed, { does: 'safe' }>;
  readonly word: 'approved' | 'rejected' | 'killed';
}

/** The moment at which a worker was killed: its write had arrived, and its step had not ended. */
export interface WriteKill {
  readonly pid: number;
  readonly key: string;
}

/** All that arrived under one key. */
export interface DeedRow {
  readonly deed: Deed;
  readonly key: string;
  /** Attempts of the workers. */
  readonly begun: number;
  readonly arrived: number;
  readonly applied: number;
  /** Why the device refused it. */
  readonly refused?: string;
}

export interface OrbitProof {
  readonly rows: readonly DeedRow[];
  /** Sentences; empty when the ledgers are as they must be. */
  readonly faults: readonly string[];
}

interface Ledgers {
  readonly said: readonly Said[];
  /** The requests that arrived at the correctors, and the state that they left. */
  readonly room: CorrectorState;
  /** The attempts that the workers began and ended. */
  readonly attempts: readonly LedgerEntry[];
  readonly kill?: WriteKill | undefined;
}

export function proofOfOrbit({ said, room: { entries, armed }, attempts, kill }: Ledgers): OrbitProof {
  const keys = [...new Set(entries.map(({ key }) => key))];
  const rows = keys.map((key) => rowOf(key, entries, attempts));
  const deeds = new Map([...said, ...rows].map(({ deed }) => [deedText(deed), deed]));
  const faults = [
    ...rows.flatMap(({ deed, applied }) => (applied > 1 ? [`${deedText(deed)} was written ${applied} times.`] : [])),
    ...[...deeds.values()].flatMap((deed) => wordFaults(deed, said, rows)),
    ...overlaps(rows, attempts),
    ...Object.entries(armed).flatMap(([device, is]) => (is ? [`${device} was left armed.`] : [])),
    ...(kill === undefined ? [] : killFaults(kill, rows, attempts)),
  ];
  return { rows, faults };
}

function rowOf(key: string, entries: readonly CorrectorEntry[], attempts: readonly LedgerEntry[]): DeedRow {
  const arrived = entries.filter((entry) => entry.key === key);
  const [first] = arrived as [CorrectorEntry];
  const refused = arrived.find(({ verdict }) => verdict === 'refused')?.reason;
  return {
    ...{ deed: bare(first), key, arrived: arrived.length },
    begun: attempts.filter((one) => one.what === 'started' && one.idempotencyKey === key).length,
    applied: arrived.filter(({ verdict }) => verdict === 'applied').length,
    ...(refused !== undefined && { refused }),
  };
}

function bare(deed: Deed): Deed {
  if (deed.does === 'safe') return { does: 'safe' };
  const { device } = deed;
  if (deed.does === 'arm') return { does: 'arm', device };
  return { does: 'pulse', device, current: deed.current, proposed: deed.proposed };
}

/** @example deedText({ does: 'pulse', device: 'CORR:1', current: 0, proposed: 0.25 }) // 'pulse CORR:1 0 -> 0.25' */
export function deedText(deed: Deed): string {
  if (deed.does === 'safe') return 'safe';
  return deed.does === 'arm' ? `arm ${deed.device}` : `pulse ${deed.device} ${deed.current} -> ${deed.proposed}`;
}

/** As many keys arrive of a deed as cards of it were approved; the way to safety needs no card. */
function wordFaults(deed: Deed, said: readonly Said[], rows: readonly DeedRow[]): readonly string[] {
  if (deed.does === 'safe') return [];
  const text = deedText(deed);
  const approved = said.filter((one) => one.word === 'approved' && deedText(one.deed) === text).length;
  const arrived = rows.filter((row) => deedText(row.deed) === text).length;
  return arrived === approved ? [] : [`${text} was approved ${approved} times, and arrived under ${arrived} keys.`];
}

/** Two writes to one device never at once. A worker that died leaves its write open until another takes it up. */
function overlaps(rows: readonly DeedRow[], attempts: readonly LedgerEntry[]): readonly string[] {
  const deviceOf = new Map(
    rows.flatMap(({ key, deed }) => (deed.does === 'safe' ? [] : [[key, deed.device] as const])),
  );
  const writing = new Map<string, string>();
  const faults: string[] = [];
  for (const { what, idempotencyKey: key } of attempts) {
    const device = deviceOf.get(key);
    if (device === undefined) continue;
    if (what !== 'started') writing.delete(device);
    else {
      if (writing.has(device) && writing.get(device) !== key) faults.push(`${device} was written to twice at once.`);
      writing.set(device, key);
    }
  }
  return faults;
}

function killFaults({ pid, key }: WriteKill, rows: readonly DeedRow[], attempts: readonly LedgerEntry[]): string[] {
  const own = attempts.filter((one) => one.idempotencyKey === key);
  const ended = own.some((one) => one.pid === pid && one.what !== 'started');
  const row = rows.find((one) => one.key === key);
  return [
    ...(ended ? ['The killed worker had ended its write; it was killed too late.'] : []),
    ...(row?.begun === 2 && row.arrived === 2 ? [] : ['The write of the killed worker was not taken up by another.']),
  ];
}
