/** The proof that the ledgers give about the writes. Pure, so that a test can hand it ledgers that prove the contrary. */

import type { LedgerEntry } from '../../stage/index.ts';
import type { ExpectedWrite } from '../expected.ts';
import { SUPPLY_CHANNELS } from '../channels.ts';
import { AT_DEVICE, playRoom, type Room, type RoomEntry } from '../room-rules.ts';

export interface Kill {
  readonly pid: number;
  /** Requests that had reached the device room. */
  readonly written: number;
}

export interface WriteRow extends ExpectedWrite {
  readonly nodeId: string;
  /** Attempts of the workers. */
  readonly begun: number;
  /** Requests that arrived, and those that were carried out. */
  readonly arrived: number;
  readonly applied: number;
}

export interface RoomProof {
  readonly rows: readonly WriteRow[];
  /** Sentences; empty when the ledgers are as they must be. */
  readonly faults: readonly string[];
}

interface Ledgers {
  readonly expected: readonly (ExpectedWrite & { readonly nodeId: string })[];
  /** The requests that arrived at the device room. */
  readonly entries: readonly RoomEntry[];
  /** The attempts that the workers began. */
  readonly attempts: readonly LedgerEntry[];
  readonly kill?: Kill | undefined;
}

export function proofOfRoom({ expected, entries: all, attempts, kill }: Ledgers): RoomProof {
  const entries = all.filter(({ key }) => key !== AT_DEVICE);
  const rows = expected.map((write): WriteRow => {
    const arrived = entries.filter(({ channel }) => channel === write.channel);
    return {
      ...write,
      begun: attempts.filter(({ what, nodeId }) => what === 'started' && nodeId === write.nodeId).length,
      arrived: arrived.length,
      applied: arrived.filter(({ verdict }) => verdict === 'applied').length,
    };
  });
  const faults = [
    ...rows.flatMap((row) => rowFaults(row, entries)),
    ...entries.filter((entry) => isForeign(entry, expected)).map(foreignFault),
    ...(kill !== undefined && kill.written > 0
      ? [`${kill.written} requests had reached the room when the worker was killed, before anything could start.`]
      : []),
  ];
  return { rows, faults };
}

/** After the undo: each supply must be where it would be without the run. Returns sentences. */
export function undoFaults({ entries, setPoints }: Room): readonly string[] {
  const without = playRoom(entries.filter(({ key }) => key === AT_DEVICE)).setPoints;
  return SUPPLY_CHANNELS.flatMap((channel) => {
    const own = entries.filter((entry) => entry.channel === channel && entry.key !== AT_DEVICE);
    const applied = own.filter(({ verdict }) => verdict === 'applied').length;
    return [
      ...(setPoints[channel] === without[channel]
        ? []
        : [`${channel} is at ${setPoints[channel]} after the undo, and should be at ${without[channel]}.`]),
      ...(applied === 2 ? [] : [`${channel} was written ${applied} times, and should have been once and once back.`]),
    ];
  });
}

function rowFaults(
  { channel, value, effect, nodeId, begun, applied }: WriteRow,
  entries: readonly RoomEntry[],
): string[] {
  const faults: string[] = [];
  if (applied !== 1) faults.push(`${channel} was written ${applied} times, and should have been once.`);
  const keys = new Set(entries.filter((entry) => entry.channel === channel).map(({ key }) => key));
  if (keys.size > 1) faults.push(`${channel} was written to under ${keys.size} keys, and should have been under one.`);
  if (effect === 'at-most-once' && begun !== 1)
    faults.push(`${nodeId} may be begun once and was begun ${begun} times.`);
  const last = entries.findLast((entry) => entry.channel === channel && entry.verdict === 'applied');
  if (last !== undefined && last.value !== value)
    faults.push(`${channel} was set to ${last.value}, and should be ${value}.`);
  return faults;
}

function isForeign({ channel, verdict }: RoomEntry, expected: readonly ExpectedWrite[]): boolean {
  return verdict === 'refused' || !expected.some((write) => write.channel === channel);
}

function foreignFault({ channel, value, verdict, reason }: RoomEntry): string {
  return `The room was sent ${value} for ${channel}, which nobody approved (${reason ?? verdict}).`;
}
