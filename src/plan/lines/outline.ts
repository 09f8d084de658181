import {
  badgeOf,
  foldedWords,
  MARKS,
  nodeLabel,
  rowsOf,
  tailOf,
  type Outline,
  type Row,
  type RowOptions,
  type Tint,
} from '../outline/index.ts';
import { cutCharacters, oneLine, visible } from '../text/index.ts';
import { columnsOf, cutColumns, padColumns } from './columns.ts';
import { wrap } from './wrap.ts';

interface LineOptions extends RowOptions {
  readonly width: number;
  /** Colours a part of a line. Default: no colour. */
  readonly paint?: (tint: Tint | 'bold', text: string) => string;
  /** Writes one line for each row: cuts the title and a long result, and omits `words`. Default: long rows wrap. */
  readonly single?: boolean;
  /** Maximum characters of the text below the title of a node. Default 1000. */
  readonly words?: number;
  /** Returns the text below a node's title. Called only for visible nodes. Default: `words` of the entry. */
  readonly wordsOf?: (id: string) => string;
  /** Writes the state of each node as a word after its title. Default false. */
  readonly named?: boolean;
}

const GAP = '  ';
const MIN_COLUMNS = 20;
const WORDS = 1000;

/**
 * Writes a plan as lines with mark, name, badge, title, result and duration of each node. Only the title and the text
 * after it are cut or wrapped, so that a badge is always visible.
 */
export function outlineLines(outline: Outline, options: LineOptions): readonly string[] {
  const rows = rowsOf(outline, options);
  return rows.flatMap((row, at) => rowLines(row, options, (rows[at + 1]?.depth ?? 0) > row.depth));
}

export function rowLines(row: Row, options: LineOptions, hasBelow = false): readonly string[] {
  const { width, paint = plain, single = false } = options;
  const { prefix } = row;
  if (row.kind === 'folded') return [`${paint('dim', prefix)}${paint('dim', foldedWords(row.entries))}`];
  const { entry } = row;
  const { standing = 'pending', title } = entry;
  const { mark, tint } = MARKS[standing];
  const whole = visible(nodeLabel(entry));
  if (row.kind === 'seen') return [`${paint('dim', prefix)}${paint('dim', `(see ${whole})`)}`];
  const marked = entry.standing === undefined ? '' : `${mark} `;
  const badge = visible(badgeOf(entry));
  const states = options.named === true && entry.standing !== undefined ? [entry.standing] : [];
  const flatTitle = oneLine(title);
  // Leaves the result out of the fixed part: a long result is cut, so that title and time stay visible.
  const { gave = '', ...others } = entry;
  const fixed = [prefix + marked, badge, ...states, ...tailOf(others), ''].join(GAP);
  const least = Math.min(MIN_COLUMNS, columnsOf(whole)) + Math.min(MIN_COLUMNS, columnsOf(flatTitle));
  const shortGave = cutColumns(gave, single ? Math.max(1, width - columnsOf(fixed) - least - GAP.length) : Infinity);
  const tail = [...states, ...tailOf(gave === '' ? others : { ...others, gave: shortGave })].join(GAP);
  const beside = columnsOf(`${prefix}${marked} ${badge}${GAP}${tail}`);
  const name = single ? cutColumns(whole, Math.max(MIN_COLUMNS, width - beside)) : whole;
  const head = `${marked}${name}${badge === '' ? '' : ` ${badge}`}`;
  const painted = (line: string) =>
    line.replace(head, () => `${paint(tint, marked)}${name}${badge === '' ? '' : ` ${paint('yellow', badge)}`}`);
  if (single) {
    const room = width - columnsOf(prefix + head + tail) - 2 * GAP.length;
    const label = room < 1 ? '' : `${GAP}${cutColumns(flatTitle, room)}`;
    const filled = tail === '' ? label : `${padColumns(label, room + GAP.length)}${GAP}`;
    return [`${paint('dim', prefix)}${painted(head)}${filled}${tail === '' ? '' : paint('bold', tail)}`];
  }
  const under = underOf(prefix, hasBelow);
  const room = Math.max(MIN_COLUMNS, width - Math.max(columnsOf(prefix), columnsOf(under)));
  const lines = wrap(`${head}${GAP}${flatTitle}${tail === '' ? '' : `${GAP}${tail}`}`, room);
  const words = options.wordsOf?.(entry.id) ?? entry.words;
  const rest =
    words === undefined || words === '' ? [] : wrap(cutCharacters(oneLine(words), options.words ?? WORDS), room);
  return [
    ...lines.map((line, at) =>
      at === 0 ? `${paint('dim', prefix)}${painted(line)}` : `${paint('dim', under)}${line}`,
    ),
    ...rest.map((line) => `${paint('dim', under)}${paint('dim', line)}`),
  ].map((line) => line.trimEnd());
}

/** The prefix of the second and later lines of a row. It continues the branches of the tree. */
function underOf(prefix: string, hasBelow: boolean): string {
  const isText = /[^ │├└─…]/.test(prefix);
  const branches = isText ? '' : prefix.replace('├─ ', '│  ').replace('└─ ', '   ');
  return `${branches}${hasBelow ? '│  ' : '   '}`;
}

function plain(_tint: string, text: string): string {
  return text;
}
