/** What is shown of a node and of a plan, independent of plans and runs. */

/** The state of a node as shown. `queued`: no worker has it yet. `lost`: the worker that had it is gone. */
export type Standing = keyof typeof MARKS;

export type Tint = 'dim' | 'cyan' | 'yellow' | 'green' | 'red';

/** The mark of each state. No mark starts a list or a link in Markdown. */
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

export interface OutlineEntry {
  readonly id: string;
  readonly key?: string;
  readonly operator?: string;
  /** Its display name, else its work in a few words. */
  readonly title: string;
  /** Its effect on the world, if known; `read` has no badge. */
  readonly effect?: string;
  readonly resource?: string;
  readonly cost?: number;
  readonly standing?: Standing;
  /** The size of its result, such as `1,204 records`. */
  readonly gave?: string;
  /** Milliseconds until now or until its end. */
  readonly ms?: number;
  /** The worker, such as `4711@host`. */
  readonly by?: string;
  /** Further text, on its own line. */
  readonly words?: string;
  readonly takes: readonly string[];
}

export interface Outline {
  readonly root: string;
  readonly entries: ReadonlyMap<string, OutlineEntry>;
}

/** Whether a person should look at the node first: it has an effect, is running, or has failed. */
export function isNotable({ effect = 'read', standing = 'pending' }: OutlineEntry): boolean {
  return effect !== 'read' || !QUIET.has(standing);
}

const QUIET: ReadonlySet<Standing> = new Set(['pending', 'succeeded', 'reused', 'skipped', 'cancelled']);
