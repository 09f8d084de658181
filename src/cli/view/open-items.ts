import type { Inbox, InboxGroup } from '../../client/index.ts';
import { cutColumns, wrap } from '../../plan/lines/index.ts';
import { clockText, oneLine, tickText, visible } from '../../plan/text/index.ts';
import {
  approveAllCommand,
  effectLines,
  itemCommand,
  itemCommands,
  WAIT_VERBS,
  waitPhrase,
} from '../../operations/words/index.ts';
import type { OpenItem } from '../../protocol/index.ts';
import { asTyped } from '../typed-command.ts';
import { headLines } from './words.ts';

/** An open item as text, with its commands. For an approval only the effects, since the plan is printed above it. */
export function openLines(item: OpenItem, flags: string): string {
  const isCut = item.leftOut !== undefined && item.send.name === 'approve';
  const does = isCut ? 'show all of it, then approve,' : WAIT_VERBS[item.send.name];
  const commands = commandLines(`${does} with`, item, flags);
  if (item.send.name !== 'approve') return [waitPhrase(item), ...commands].join('\n');
  const context = (item.context ?? []).map((line) => visible(line));
  return [item.warning, item.asks, ...effectLines(item), ...context, ...commands]
    .filter((line) => line !== undefined)
    .join('\n');
}

/** Text such as `answer with: COMMAND`, or `answer with one of:` and a command for each value, never wrapped. */
export function commandLines(lead: string, item: OpenItem, flags: string): readonly string[] {
  const [command, ...others] = itemCommands(item, asTyped, flags);
  if (others.length === 0) return [`${lead}: ${command}`];
  return [`${lead} one of:`, ...[command, ...others].map((one) => INDENT + one)];
}

/** `waits for operator to approve; expires in 9 min 40 s` */
export function waitLine({ roles, send, deadline }: OpenItem, now = Date.now()): string {
  const left = Date.parse(deadline) - now;
  const whom = roles === undefined ? 'a person' : oneLine(roles.join(' or '));
  const until = left > 0 ? `expires in ${tickText(left)}` : 'its time is over';
  return `waits for ${whom} to ${WAIT_VERBS[send.name]}; ${until}`;
}

export function commandFor(item: OpenItem, flags: string, role?: string): string {
  return itemCommand(item, asTyped, flags, role);
}

const TEXT_SHOWN = 76;
const INDENT = '  ';
const RUNS_NAMED = 5;

/** The inbox as text. Commands are not cut. Equal questions about equal plans are one entry. */
export function inboxText(
  { items, groups, unreachable, notAsked }: Inbox,
  columns: number,
  flags: string,
  role?: string,
): string {
  const silent = unreachable.length + notAsked;
  if (items.length === 0 && silent > 0) return 'nothing is known to wait for a person; not every run has answered';
  if (items.length === 0) return 'nothing waits for a person';
  const now = new Date().toISOString();
  return groups.flatMap((group) => groupLines(group, { columns, flags, role, now })).join('\n');
}

interface Look {
  readonly columns: number;
  readonly flags: string;
  readonly role: string | undefined;
  readonly now: string;
}

function groupLines({ first, count, runs }: InboxGroup, { columns, flags, role, now }: Look): readonly string[] {
  const { workflowId, kind, roles, text, context = [], digest, since, leftOut } = first;
  const width = columns - INDENT.length;
  const shortly = (line: string) => `${INDENT}${cutColumns(oneLine(line), Math.min(TEXT_SHOWN, width))}`;
  const heading = `${kind} for ${roles?.join(', ') ?? 'anyone'}, since ${clockText(since, now)}`;
  const isOne = count === 1;
  const named = runs.slice(0, RUNS_NAMED).map((run) => visible(run.workflowId));
  const rest = count > named.length ? ` and ${count - named.length} more` : '';
  const all =
    first.send.name === 'approve' && leftOut === undefined
      ? [`all: ${approveAllCommand(first, asTyped, flags, role)}`]
      : [];
  return [
    ...headLines(isOne ? workflowId : `${count} runs of plan ${digest.slice(0, 8)}`, INDENT, heading, columns),
    shortly(text),
    ...[...effectLines(first), ...context].flatMap((line) => wrap(visible(line), width)).map((line) => INDENT + line),
    ...(isOne ? [] : [...wrap(`${named.join(', ')}${rest}`, width), ...all].map((line) => INDENT + line)),
    ...itemCommands(first, asTyped, flags, role).map((command) => `${INDENT}${isOne ? '' : 'one: '}${command}`),
  ];
}
