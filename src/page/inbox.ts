import { perform, type OutputOf, type Plans } from '../operations/index.ts';
import { groupsBy } from '../plan/index.ts';
import { clockText } from '../plan/text/index.ts';
import { itemCommand, missingOfInbox } from '../operations/words/index.ts';
import { MAX_LISTED_RUNS } from './messages.ts';
import { alikeOf, sharedAnswerKey, type WaitCard } from './view/waits.ts';

/** Maximum number of items that are read. */
const MAX_ITEMS = 500;
/** How long an inbox is reused, in ms. Each reading queries every running run. */
const FRESH_MS = 2000;
export interface Waits {
  readonly waits: readonly WaitCard[];
  readonly count: number;
  readonly missing: readonly string[];
}

type Item = OutputOf<'inbox'>['items'][number];

/** Whether a planner may revise the plan. True without a project, since then only the run knows. */
export async function hasPlanner(plans: Plans): Promise<boolean> {
  const project = await plans.project().catch(() => undefined);
  return project === undefined || (project.model ?? project.planner.model) !== undefined;
}

function differences(items: readonly (Item | undefined)[]): readonly (readonly string[])[] {
  const facts = items.map((item) => {
    if (item === undefined) return [];
    const { since, deadline, revision, context = [], approvedBy = [], warning = [] } = item;
    const times = [`since ${clockText(since)}`, `until ${clockText(deadline)}`, `revision ${revision}`];
    return [...times, ...context, ...approvedBy.map((name) => `approved by ${name}`), warning].flat();
  });
  return facts.map((row) => row.filter((fact) => !facts.every((one) => one.includes(fact))));
}

export function createInbox(plans: Plans) {
  let last: { readonly endedAt: number; readonly read: Promise<Waits> } | undefined;

  async function readAll(): Promise<Waits> {
    const found = await perform('inbox', plans, { limit: MAX_ITEMS });
    const { items, more, groups } = found;
    const replans = await hasPlanner(plans);
    const byRun = new Map(items.map((item) => [`${item.workflowId} ${item.id}`, item]));
    const waits = groups.map(({ first: item, runs }): WaitCard => {
      const named = runs.slice(0, MAX_LISTED_RUNS).map(({ workflowId }) => workflowId);
      const differs = differences(named.map((run) => byRun.get(`${run} ${item.id}`)));
      return { item, runs: named, differs, replans, context: [], nodes: [], command: itemCommand(item, plans.typed) };
    });
    const alike = [...groupsBy(waits, ({ item, runs }) => sharedAnswerKey(item, runs)).values()];
    const cards = alike.map((all) => ({ ...all[0]!, ...alikeOf(all.map(({ item }) => item)) }));
    const missing = missingOfInbox(found, 'they are shown when these are answered', MAX_LISTED_RUNS);
    return { waits: cards, count: items.length + more, missing };
  }

  return {
    async read(): Promise<Waits> {
      if (last !== undefined && Date.now() - last.endedAt <= FRESH_MS) return last.read;
      // A running read serves everybody who asks before it ends.
      const reading = { endedAt: Infinity, read: readAll() };
      last = reading;
      reading.read.then(
        () => void (reading.endedAt = Date.now()),
        () => void (reading.endedAt = 0),
      );
      return reading.read;
    },
    /** After a message the next read queries the runs again. */
    renew: () => void (last = undefined),
  };
}
