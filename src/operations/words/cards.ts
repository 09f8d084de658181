/** Open items as cards for the page, the CLI and MCP hosts, which lay them out. */

import { given, isOfRemoved, type OpenItem } from '../../protocol/index.ts';

export interface CardAction {
  /** The word for it in forms; `succeeded` and `failed` resolve a node. */
  readonly name: string;
  readonly word: string;
  readonly look?: 'main' | 'bad' | undefined;
  /** The label of its comment. */
  readonly reason?: string | undefined;
  readonly isReasonNeeded?: boolean;
  /** The heading of an answer with fields of its own. */
  readonly fold?: string | undefined;
  readonly takes?: 'value' | 'feedback' | 'nodes' | undefined;
  /** Set if few people need it. */
  readonly isRare?: boolean;
}

interface CardLine {
  readonly text: string;
  readonly look?: 'warning' | 'sum';
}

export interface Card {
  readonly title: string;
  readonly lines: readonly CardLine[];
  readonly actions: readonly CardAction[];
}

export const CARD_TITLES: Readonly<Record<OpenItem['kind'], string>> = {
  approval: 'Approve this plan?',
  question: 'Question',
  uncertain: 'Did it happen?',
  failed: 'It failed',
  fault: 'It cannot go on',
  budget: 'The budget is spent',
};
const TITLE = 200;
export const NOT_HAPPENED = 'How you know that it did not happen';

/** @param goal the goal, if a heading above the card has it */
export function cardOf(item: OpenItem, goal?: string): Card {
  const { kind, warning, asks, bounds } = item;
  const ask = warning === undefined ? item.text : item.text.replace(`${warning}\n`, '');
  const text = goal === undefined ? ask : ask.replace(` "${goal}"`, '');
  const isTitle = (kind === 'approval' || kind === 'question') && text.length <= TITLE && !text.includes('\n');
  return {
    title: isTitle ? text : CARD_TITLES[kind],
    lines: [
      ...lineOf(warning, 'warning'),
      ...lineOf(isTitle ? undefined : text),
      ...lineOf(asks, 'sum'),
      ...lineOf(bounds),
    ],
    actions: possibleFor(item),
  };
}

function lineOf(text: string | undefined, look?: CardLine['look']): readonly CardLine[] {
  return text === undefined ? [] : [given({ text, look })];
}

const HOW = 'How you know';
/** Labels of comments that are required. */
const NEEDED: readonly (string | undefined)[] = ['Reason', NOT_HAPPENED];
const IN_ROW = new Set(['reject', 'revise', 'kill']);

type Row = readonly [
  name: string,
  word: string,
  reason?: string | undefined,
  fold?: string,
  takes?: CardAction['takes'],
];

const WAYS: readonly Row[] = [
  ['resume', 'Go on'],
  ['fallback', 'Use the fallback'],
  ['kill', 'Kill', 'Reason', 'Kill the run'],
];
const ACTIONS: Readonly<Record<OpenItem['kind'], readonly Row[]>> = {
  question: [],
  approval: [
    ['approve', 'Approve', 'Comment'],
    ['reject', 'Reject it', 'Reason', 'Reject'],
    ['revise', 'Ask for another plan', undefined, 'Change', 'feedback'],
    ['approve-part', 'Approve these, and what they take', 'Comment', 'Approve a part', 'nodes'],
    ['withdraw', 'Take it back', undefined, 'Take back your approval'],
  ],
  uncertain: [
    ['succeeded', 'It happened', HOW],
    ['failed', 'It did not happen', HOW],
    ['succeeded', 'It happened', HOW, 'It happened, with a result', 'value'],
    ['retry-node', 'Run it again', NOT_HAPPENED, 'Do it once more'],
    ['skip-node', 'Go on without it', 'Comment', 'Leave it open and go on'],
  ],
  failed: [
    ['retry-node', 'Run it again', 'Comment'],
    ['skip-node', 'Go on without it', 'Comment'],
    ['succeeded', 'It succeeded', HOW, 'Give its result', 'value'],
    ['failed', 'It failed', HOW, 'Leave it as failed'],
  ],
  fault: WAYS,
  budget: WAYS,
};

export function actionsOf(kind: OpenItem['kind']): readonly CardAction[] {
  return ACTIONS[kind].map(([name, word, reason, fold, takes], at) => {
    const isReasonNeeded = NEEDED.includes(reason);
    const look = at === 0 && kind !== 'failed' ? 'main' : isReasonNeeded ? 'bad' : undefined;
    return { name, word, reason, isReasonNeeded, look, fold, takes, isRare: fold !== undefined && !IN_ROW.has(name) };
  });
}

function possibleFor(item: OpenItem): readonly CardAction[] {
  const { kind, send, ways, approvedBy } = item;
  const isRejected = kind === 'approval' && send.name === 'decide';
  const repeats = kind === 'approval' && send.input['comment'] !== undefined;
  const missing = [...(approvedBy === undefined ? ['withdraw'] : []), ...(isOfRemoved(item) ? ['retry-node'] : [])];
  return actionsOf(kind)
    .filter(({ name }) => !missing.includes(name) && (!isRejected || name === 'revise'))
    .filter(({ name }) => ways?.some((way) => way === name) ?? true)
    .map((one) => (repeats && one.name === 'approve' ? { ...one, reason: NOT_HAPPENED, isReasonNeeded: true } : one));
}

/** The control message for an action, without its node. */
export function controlOf(name: string) {
  return name === 'succeeded' || name === 'failed' ? { action: 'resolve', outcome: name } : { action: name };
}

export function rolesText(roles: readonly string[] | undefined): string {
  return roles?.join(' or ') ?? 'anybody';
}
