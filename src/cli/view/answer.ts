import type { FieldForm } from '../../operations/index.ts';
import { table } from '../../plan/lines/index.ts';
import { grouped, oneLine, visible } from '../../plan/text/index.ts';
import { isRecord } from '../../protocol/index.ts';
import type { Output } from '../terminal/index.ts';

type Answer = Readonly<Record<string, unknown>>;

/** The answer as text. Adjacent values form one block; lists and groups are tables. `shows` defaults to all fields. */
export async function answerText(
  answer: Answer,
  shows: Readonly<Record<string, FieldForm>> | undefined,
  { columns, lineColumns }: Pick<Output, 'columns' | 'lineColumns'>,
): Promise<string> {
  if (shows === undefined && isReply(answer)) return replyText(answer);
  const blocks: string[] = [];
  const fields = shows ?? allOf(answer);
  let values: string[][] = [];
  const endValues = () => {
    if (values.length > 0) blocks.push(table(values, { columns: lineColumns }));
    values = [];
  };
  for (const [name, how] of Object.entries(fields)) {
    const value = answer[name];
    if (value === undefined || (value === '' && how !== 'text')) continue;
    if (how === 'value' || (typeof how === 'object' && !hasRows(value))) values.push([name, valueText(value)]);
    else {
      endValues();
      if (how === 'tree') {
        const { treeText } = await import('../plan-text.ts');
        blocks.push(treeText(value, answer, columns));
      } else if (how === 'wrapped') blocks.push(table([[value as string]], { columns }));
      else if (how === 'text') blocks.push(value as string);
      else if (how === 'json') blocks.push(JSON.stringify(value, null, 2));
      else blocks.push(rowsText(name, value as object, how, lineColumns, Object.keys(fields).length > 1));
    }
  }
  endValues();
  return blocks.join('\n\n');
}

interface Reply {
  readonly workflowId: string;
  readonly reply: string;
}

/** The run's reply to a message as one line, without the other fields, which repeat it. */
export function replyText({ workflowId, reply }: Reply): string {
  return `${workflowId}: ${reply}`;
}

function isReply(answer: Answer): answer is Answer & Reply {
  return typeof answer['workflowId'] === 'string' && typeof answer['reply'] === 'string';
}

function hasRows(value: unknown): value is object {
  const all = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return all.length > 0 && all.every((one) => isRecord(one));
}

function allOf(answer: Answer): Readonly<Record<string, FieldForm>> {
  const [tables, values] = [[], []] as [[string, FieldForm][], [string, FieldForm][]];
  for (const [name, value] of Object.entries(answer))
    if (hasRows(value))
      tables.push([name, [...new Set(Object.values(value).flatMap((row) => Object.keys(row as object)))]]);
    else values.push([name, 'value']);
  return Object.fromEntries([...values, ...tables]);
}

function rowsText(name: string, rows: object, wanted: readonly string[], columns: number, isNamed: boolean): string {
  const names = Array.isArray(rows) ? [] : Object.keys(rows);
  const all = Object.values(rows) as readonly Answer[];
  const heads = wanted.filter((head) => all.some((one) => one[head] !== undefined));
  const lines = all.map((one, at) => [...names.slice(at, at + 1), ...heads.map((head) => valueText(one[head]))]);
  const isNumber = (head: string) => all.every((one) => ['number', 'undefined'].includes(typeof one[head]));
  const right = heads.flatMap((head, at) => (isNumber(head) ? [at + (names.length === 0 ? 0 : 1)] : []));
  const titled = [[...(names.length === 0 ? [] : ['']), ...heads], ...lines];
  return `${isNamed ? `${name}\n` : ''}${table(titled, { columns, indent: isNamed ? '  ' : '', right })}`;
}

function valueText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return grouped(value);
  if (typeof value === 'string') return visible(oneLine(value));
  if (!Array.isArray(value)) return visible(JSON.stringify(value));
  return value.length === 0 ? 'none' : value.map(valueText).join(', ');
}
