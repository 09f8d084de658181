/** The parts of a node, and of a plan, that are shown: neither a plan nor a run, so that either can be shown. */

/** How a node stands. `queued`: a worker has yet to take it. `lost`: it was under way at a worker that is gone. */
export type Standing = keyof typeof MARKS;

/** The colour of a mark, by the names that terminals have. */
export type Tint = 'dim' | 'cyan' | 'yellow' | 'green' | 'red';

/** The mark of each standing; no mark starts a list or a link in Markdown. */
export const MARKS = {
  pending: { mark: '·', tint: 'dim' },
  queued: { mark: '◦', tint: 'cyan' },
  running: { mark: '▸', tint: 'cyan' },
  waiting: { mark: '?', tint: 'yellow' },
  succeeded: { mark: '✓', tint: 'green' },
  reused: { mark: '✓', tint: 'green' },
  failed: { mark: '✗', tint: 'red' },
  lost: { mark: '×', tint: 'red' },
  skipped: { mark: '–', tint: 'yellow' },
  cancelled: { mark: '–', tint: 'yellow' },
  uncertain: { mark: '‽', tint: 'red' },
} as const satisfies Record<string, { readonly mark: string; readonly tint: Tint }>;

/** One node as it is shown. */
export interface OutlineEntry {
  readonly id: string;
  /** The context key that people name it by. */
  readonly key?: string;
  /** The set operator of a combine, which has no key. */
  readonly operator?: string;
  /** Its display name, else its work in a few words. */
  readonly title: string;
  /** Its effect on the world, where that is known; `read` has no badge. */
  readonly effect?: string;
  /** The resource that its effect writes to. */
  readonly resource?: string;
  /** The cost of one execution as its capability says. */
  readonly cost?: number;
  /** Absent before a run. */
  readonly standing?: Standing;
  /** The size of its result, such as `1,204 records`. */
  readonly gave?: string;
  /** Milliseconds it took, or has taken so far. */
  readonly ms?: number;
  /** The worker that carried it out, such as `4711@host`. */
  readonly by?: string;
  /** Further words about it; a line of its own. */
  readonly words?: string;
  /** Ids of the nodes whose results it takes, in order. */
  readonly takes: readonly string[];
}

/** A plan as it is shown. */
export interface Outline {
  readonly root: string;
  /** In dependency order. */
  readonly entries: ReadonlyMap<string, OutlineEntry>;
}

/** Whether a node is looked at first: it does something to the world, is at work, or went wrong. */
export function isNotable({ effect = 'read', standing = 'pending' }: OutlineEntry): boolean {
  return effect !== 'read' || !QUIET.has(standing);
}

const QUIET: ReadonlySet<Standing> = new Set(['pending', 'succeeded', 'reused', 'skipped', 'cancelled']);
