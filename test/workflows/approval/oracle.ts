/** The oracle of the approval's truth table: what each decision comes to, told from what was said before and nothing else. */

import type { Decision, Refusal } from '../../../src/protocol/index.ts';
import { DIGEST, later } from '../run/make-run.ts';
import { decision, WAIT_MS, type Before } from './said-before.ts';

/** What every rule set asks, node by node, written out: how many people, of which roles (none: anybody's). */
export interface Asks {
  readonly count: number;
  readonly roles?: readonly string[];
}

/** What the oracle remembers of a history: who approved which nodes and still stands by it, and how it ended. */
export interface Memory {
  readonly stands: { person: string; role: string | undefined; nodes: readonly number[] }[];
  /** Who ever approved something in this revision, taken back or not. */
  readonly approvers: Set<string>;
  /** The fewest nodes that ever waited. */
  fewest: number;
  decided: boolean;
  rejected: boolean;
}

export function expectedRuling(
  { kind, digest, revision, by, role, nodes }: Decision,
  at: string,
  before: Before,
  memory: Memory,
  asks: readonly (readonly Asks[])[],
): 'taken' | Refusal {
  if (before.drafting) return 'early';
  if (!['3fa9c1d2', DIGEST].includes(digest)) return 'stale-digest';
  if (revision === 2) return 'stale-revision';
  const open = openNodes(memory, asks);
  const isClosed = before.end !== undefined || (memory.rejected && before.max?.rejections === undefined);
  const person = by.trim().toLowerCase();
  const hasApproved = memory.stands.some((one) => one.person === person);
  if (isClosed) return memory.rejected ? 'already-decided' : 'closed';
  const isLate = open.length > 0 && at > later(WAIT_MS);
  // What was said may be taken back as long as the run goes on, and with it nothing that silence has decided.
  if (kind === 'withdraw' && !isLate) return hasApproved ? 'taken' : 'not-possible';
  if (open.length === 0) {
    return memory.decided ? 'already-decided' : 'closed';
  }
  if (isLate) return 'too-late';
  if (memory.rejected) {
    if (kind !== 'edit' && kind !== 'revise') return 'already-decided';
    return 'taken';
  }
  switch (kind) {
    case 'reject':
      return 'taken';
    // Whether there is a planner is not for the reducer to know.
    case 'revise':
    case 'edit':
      return before.max?.revisions === 1 ? 'too-many-revisions' : 'taken';
    default: {
      if (nodes?.includes('node_4')) return 'unknown-node';
      const meant = meantBy(nodes).filter((node) => open.includes(node));
      if (meant.length === 0) return 'already-decided';
      const words = meant.flatMap((node) =>
        (asks[node] ?? []).map((ask) => {
          if (ask.roles !== undefined && !ask.roles.includes(role ?? '')) return 'wrong-role';
          const people = speakersFor(memory, node, ask);
          if (people.has(person)) return 'again';
          return people.size < ask.count ? 'counts' : 'enough';
        }),
      );
      if (words.includes('counts')) return 'taken';
      return words.includes('again') ? 'already-decided' : 'wrong-role';
    }
  }
}

export function openNodes(memory: Memory, asks: readonly (readonly Asks[])[]): number[] {
  return [0, 1, 2].filter((node) => (asks[node] ?? []).some((ask) => speakersFor(memory, node, ask).size < ask.count));
}

function speakersFor({ stands }: Memory, node: number, { roles }: Asks): Set<string> {
  const heard = stands.filter(
    (one) => one.nodes.includes(node) && (roles === undefined || roles.includes(one.role ?? '')),
  );
  return new Set(heard.map(({ person }) => person));
}

/** node_3 stands on the other two. */
export function meantBy(nodes: readonly string[] | undefined): number[] {
  if (nodes === undefined || nodes.includes('node_3')) return [0, 1, 2];
  return nodes.map((id) => Number(id.slice(5)) - 1);
}

/** A decision of a history that the rules do not let count leaves no memory. */
export function memoryOf(before: Before, asks: readonly (readonly Asks[])[]): Memory {
  const memory: Memory = { stands: [], approvers: new Set(), fewest: 3, decided: false, rejected: false };
  memory.fewest = openNodes(memory, asks).length;
  for (const one of before.said ?? []) {
    const said = decision(one);
    if (expectedRuling(said, later(0), {}, memory, asks) !== 'taken') continue;
    memory.decided = true;
    if (said.kind === 'reject') memory.rejected = true;
    else if (said.kind === 'withdraw') memory.stands.length = 0;
    else {
      memory.stands.push({ person: said.by, role: said.role, nodes: meantBy(said.nodes) });
      memory.approvers.add(said.by);
      memory.fewest = Math.min(memory.fewest, openNodes(memory, asks).length);
    }
  }
  return memory;
}
