/** Outlines as plans and runs make them, of any size. */

import type { Outline, OutlineEntry, Standing } from '../../../src/plan/outline/index.ts';

const STANDINGS: readonly Standing[] = ['succeeded', 'running', 'queued', 'failed', 'skipped', 'uncertain', 'waiting'];

function outline(entries: readonly OutlineEntry[]): Outline {
  return { root: entries.at(-1)!.id, entries: new Map(entries.map((entry) => [entry.id, entry])) };
}

/** A tree of two sets and a payment, as it is approved. */
export const ASKED = outline([
  {
    id: 'node_1',
    title: 'Find the invoices of the last quarter that nobody has paid yet, in every ledger of every branch',
    effect: 'read',
    words: 'with the capability "ledger.open", given the arguments {"quarter":"2026-Q1","branches":["north","south"]}',
    takes: [],
  },
  { id: 'node_2', title: 'Find the invoices in dispute', effect: 'read', takes: [] },
  { id: 'node_3', title: 'every record of node_1 that is not in node_2', effect: 'read', takes: ['node_1', 'node_2'] },
  {
    id: 'node_4',
    title: `Pay what is left, ${'one after the other and '.repeat(5)}by bank transfer`,
    effect: 'at-most-once',
    resource: 'bank',
    cost: 10,
    words: 'given the result of node_3',
    takes: ['node_3'],
  },
]);

/** Steps with keys, as a run stands. */
export const STANDING = outline(
  STANDINGS.map((standing, at) => ({
    id: `node_${at + 1}`,
    key: `step-${standing}`,
    title: at % 2 === 0 ? 'Read the channel of the beam position monitor and give what it reads' : 'Set it',
    effect: at % 2 === 0 ? 'read' : 'idempotent',
    standing,
    ...(standing === 'succeeded' && { gave: '1,204 records', ms: 10_640 }),
    ...(standing === 'failed' && { ms: 252_000 }),
    takes: at === 0 ? [] : [`node_${at}`],
  })),
);

/** A binary tree over `leaves` reads, one of them a write that has failed. */
export function bigTree(leaves: number): Outline {
  const entries: OutlineEntry[] = [];
  let level: string[] = [];
  const add = (entry: Omit<OutlineEntry, 'id'>) => {
    const id = `node_${entries.length + 1}`;
    entries.push({ id, ...entry });
    return id;
  };
  for (let at = 0; at < leaves; at++) {
    const failed = at === Math.floor(leaves / 3);
    level.push(
      add({
        title: `Read part ${at}`,
        effect: failed ? 'idempotent' : 'read',
        standing: failed ? 'failed' : at % 2 === 0 ? 'succeeded' : 'pending',
        takes: [],
      }),
    );
  }
  while (level.length > 1) {
    const next: string[] = [];
    for (let at = 0; at < level.length; at += 2) {
      const takes = level.slice(at, at + 2);
      next.push(takes.length === 1 ? takes[0]! : add({ title: 'Union', effect: 'read', standing: 'pending', takes }));
    }
    level = next;
  }
  return outline(entries);
}

/** Steps in a row, each after the one before. */
export function longList(length: number): Outline {
  return outline(
    Array.from({ length }, (_, at) => ({
      id: `node_${at + 1}`,
      key: `step-${at + 1}`,
      title: `Do number ${at + 1}`,
      effect: at === length - 2 ? 'at-most-once' : 'read',
      takes: at === 0 ? [] : [`node_${at}`],
    })),
  );
}

/** One node above another, as deep as that. */
export function deepChain(length: number): Outline {
  return outline(
    Array.from({ length }, (_, at) => ({
      id: `node_${at + 1}`,
      title: `Level ${at + 1}`,
      takes: at === 0 ? [] : [`node_${at}`],
    })),
  );
}
