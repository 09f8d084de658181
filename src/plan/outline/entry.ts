/** The state of a node. `queued`: no worker has started the node. `lost`: the worker of the node is gone. */
export type Standing = keyof typeof MARKS;

export type Tint = 'dim' | 'cyan' | 'yellow' | 'green' | 'red';

/** The mark of each state. In Markdown, no mark starts a list or a link. */
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
  /** The display name of the node, or else its task in a few words. */
  readonly title: string;
  /** The effect of the node on the outside world, if known. A `read` has no badge. */
  readonly effect?: string;
  readonly resource?: string;
  readonly cost?: number;
  readonly standing?: Standing;
  /** The size of the result, such as `1,204 records`. */
  readonly gave?: string;
  /** The duration in milliseconds, until now or until the node ended. */
  readonly ms?: number;
  /** The worker of the node, such as `4711@host`. */
  readonly by?: string;
  readonly words?: string;
  readonly takes: readonly string[];
}

export interface Outline {
  readonly root: string;
  readonly entries: ReadonlyMap<string, OutlineEntry>;
}

/** Whether a person should look at this node first: it has an effect, is running, or has failed. */
export function isNotable({ effect = 'read', standing = 'pending' }: OutlineEntry): boolean {
  return effect !== 'read' || !QUIET.has(standing);
}

const QUIET: ReadonlySet<Standing> = new Set(['pending', 'succeeded', 'reused', 'skipped', 'cancelled']);
