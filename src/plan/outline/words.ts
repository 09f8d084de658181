import { groupsBy } from '../groups-by.ts';
import { counted, durationText, grouped, oneLine } from '../text/index.ts';

const NAMED = 5;
/** All effects, the mildest first. Unknown effects come last. */
const EFFECTS = ['read', 'idempotent', 'at-most-once'];
const DONE: ReadonlySet<Standing | undefined> = new Set(['succeeded', 'reused']);
const TOLD: readonly Standing[] = [
  'failed',
  'uncertain',
  'lost',
  'waiting',
  'running',
  'queued',
  'skipped',
  'cancelled',
];

type Asked = Pick<OutlineEntry, 'id' | 'key' | 'effect' | 'cost'>;

export function nodeName({ id, key }: Pick<OutlineEntry, 'id' | 'key'>): string {
  return key === undefined ? id : oneLine(key);
}

export function badgeOf({ effect = 'read', resource }: Pick<OutlineEntry, 'effect' | 'resource'>): string {
  if (effect === 'read') return '';
  return `! ${effect}${resource === undefined ? '' : ` on ${resource}`}`;
}

export function nodeLabel({ id, key, operator = key }: Pick<OutlineEntry, 'id' | 'key' | 'operator'>): string {
  return operator === undefined ? id : `${id} ${oneLine(operator)}`;
}

export function tailOf({ cost, gave, ms, by }: OutlineEntry): readonly string[] {
  return [
    ...(cost === undefined || gave !== undefined ? [] : [`(cost ${cost})`]),
    ...(gave === undefined ? [] : [gave]),
    ...(ms === undefined ? [] : [durationText(ms)]),
    ...(by === undefined ? [] : [`by ${oneLine(by)}`]),
  ];
}

/** A value that an effect receives, as a card displays it: its name, and its JSON on one line. */
export interface ShownValue {
  readonly name: string;
  readonly text: string;
  /** The length of the whole value in characters, if `text` is only its start. */
  readonly length?: number;
}

export function valuesText(values: readonly ShownValue[]): string {
  return values.map((one) => `${one.name} ${valueText(one)}`).join(', ');
}

export function valueText({ text, length }: Pick<ShownValue, 'text' | 'length'>): string {
  return length === undefined ? text : `${text} (${grouped(length)} characters)`;
}

/** Sums up nodes for approvers: how many per effect, with names and costs of all that are not reads. */
export function sumOf(entries: Iterable<Asked>): string {
  const groups = groupsBy(entries, ({ effect = 'read' }) => effect);
  const order = (effect: string) => (EFFECTS.indexOf(effect) + EFFECTS.length + 1) % (EFFECTS.length + 1);
  const parts = [...groups].toSorted(([a], [b]) => order(a) - order(b)).map(([effect, group]) => partOf(effect, group));
  const [first = 'nothing', ...rest] = parts;
  return rest.reduce((sum, part, at) => `${sum}${at === 0 && !first.includes(':') ? ', ' : '; '}${part}`, first);
}

function partOf(effect: string, group: readonly Asked[]): string {
  const costs = group.reduce((sum, { cost = 0 }) => sum + cost, 0);
  if (effect === 'read') return `${counted(group.length, 'read')}${costs === 0 ? '' : ` (cost ${costs})`}`;
  const named = group
    .slice(0, NAMED)
    .map((one) => `${nodeName(one)}${one.cost === undefined ? '' : ` (cost ${one.cost})`}`);
  const more = group.length - named.length;
  const rest = more === 0 ? '' : ` and ${grouped(more)} more${costs === 0 ? '' : `, cost ${costs} in all`}`;
  return `${grouped(group.length)} ${effect}: ${named.join(', ')}${rest}`;
}

export function foldedWords(entries: readonly OutlineEntry[]): string {
  const many = (what: string, fits: (entry: OutlineEntry) => boolean) => {
    const number = entries.filter(fits).length;
    return number === 0 ? [] : [`${grouped(number)} ${what}`];
  };
  const effects = [...new Set(entries.map(({ effect = 'read' }) => effect))].filter((effect) => effect !== 'read');
  const badges = effects.flatMap((effect) => many(`! ${effect}`, (one) => one.effect === effect));
  const standings = [
    ...many('done', ({ standing }) => DONE.has(standing)),
    ...TOLD.flatMap((standing) => many(standing, (one) => one.standing === standing)),
  ];
  const counts = [badges, standings].filter((one) => one.length > 0).map((one) => one.join(', '));
  const nodes = entries.length === 0 ? 'nodes shown above' : counted(entries.length, 'more node');
  return `… ${nodes}${counts.length === 0 ? '' : `: ${counts.join('; ')}`}`;
}

/** The state of a node. `queued`: no worker has started the node. `lost`: the worker of the node is gone. */
export type Standing = keyof typeof MARKS;

export type Tint = 'dim' | 'cyan' | 'yellow' | 'green' | 'red';

/** The mark of each state. None of them starts a list or a link in Markdown. */
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
