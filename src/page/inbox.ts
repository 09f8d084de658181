/** What waits for a person over all runs, read once for everybody who looks, equal waits together. */

import { groupWaits, perform, type Plans, type WaitGroup } from '../operations/index.ts';
import type { Wait } from './view/waits.ts';
import { commandText, effectOf, type Typed } from './view/run.ts';

/** Items that are read, and groups whose effects are shown with their values. */
const MOST = { items: 500, told: 50 };
/** An inbox that is younger is not read again; each reading asks every running run. */
const FRESH_MS = 2000;
/** Plans whose effects are kept: they do not change. */
const KEPT = 200;
const NAMED = 5;

export interface Waits {
  readonly waits: readonly Wait[];
  readonly count: number;
  readonly missing: readonly string[];
}

export interface InboxReader {
  read(): Promise<Waits>;
  /** Somebody has said something: the next reading asks the runs. */
  renew(): void;
}

export function createInbox(plans: Plans, typed: Typed): InboxReader {
  const effects = new Map<string, Wait['effects']>();
  let last: { readonly at: number; readonly read: Promise<Waits> } | undefined;

  async function readAll(): Promise<Waits> {
    const { items, more, unreachable, notAsked } = await perform('inbox', plans, { limit: MOST.items });
    const groups = groupWaits(items);
    const waits = await Promise.all(
      groups.map(async (group, at): Promise<Wait> => {
        const { item, workflowIds: runs } = group;
        const told = at < MOST.told && item.kind === 'approval' ? await effectsOf(group) : [];
        return { item, runs, effects: told, nodes: [], command: commandText(item, typed) };
      }),
    );
    const silent = unreachable.slice(0, NAMED).map(({ workflowId, reason }) => `${workflowId} (${reason})`);
    const missing = [
      ...(more > 0 ? [`${more} more wait, younger than these`] : []),
      ...(silent.length > 0
        ? [
            `no answer from ${silent.join(', ')}${unreachable.length > NAMED ? ` and ${unreachable.length - NAMED} more runs` : ''}`,
          ]
        : []),
      ...(notAsked > 0 ? [`${notAsked} running runs were not asked, since so many are not asked at once`] : []),
    ];
    return { waits, count: items.length + more, missing };
  }

  async function effectsOf({ item, workflowIds: [run = ''] }: WaitGroup): Promise<Wait['effects']> {
    const key = JSON.stringify([run, item.digest]);
    const known = effects.get(key);
    if (known !== undefined) return known;
    const shown = await perform('shown', plans, { workflowId: run }).catch(() => undefined);
    if (shown === undefined || shown.digest !== item.digest) return [];
    const above = shown.nodes.filter(({ effect = 'read', status }) => effect !== 'read' && status === 'pending');
    const told = above.map((node) => effectOf(node, shown.plan));
    const [oldest] = effects.keys();
    if (effects.size >= KEPT && oldest !== undefined) effects.delete(oldest);
    effects.set(key, told);
    return told;
  }

  return {
    async read() {
      if (last === undefined || Date.now() - last.at > FRESH_MS) {
        const read = readAll();
        last = { at: Date.now(), read };
        read.catch(() => {
          if (last?.read === read) last = undefined;
        });
      }
      return last.read;
    },
    renew: () => void (last = undefined),
  };
}
