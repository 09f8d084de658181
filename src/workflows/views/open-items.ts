/**
 * The open items of a run: everything that waits for a person, with the exact message that answers it. Computed on
 * demand.
 */

import { given, type ControlAction, type OpenItem, type PageRequest } from '../../protocol/index.ts';
import { clockText, cutCharacters, visible } from '../../plan/text/index.ts';
import type { Run } from '../run/in-memory.ts';
import { askedAbout } from '../run/talk/questions.ts';
import { reasonFor } from '../run/spending/end.ts';
import { awaitedBy, canFallBack } from '../run/backoff-causes.ts';
import { openings, type Opening } from './openings.ts';
import { effectsOf } from './run-outline.ts';
import { MAX_TEXT, WHO, open, approvalItem, digestToSend, roleToSend } from './approval-item.ts';

/**
 * A question is at most 8 kB; the answer to a query is at most 2 MiB.
 * @bound open items on a page
 * @beyond pass the id of the last one as `after` to get the next page
 */
const ITEMS_PER_PAGE = 100;

/**
 * A page of open items, the approval first, then the oldest. `after` is the id of the last item that the caller has.
 */
export function questionsOf(run: Run, page: PageRequest = {}): readonly OpenItem[] {
  const limit = limitOf(page);
  const { after } = page;
  const isKnown = typeof after === 'string' && [...openings(run)].some(({ id }) => id === after);
  const items: OpenItem[] = [];
  let isAfter = !isKnown;
  for (const opening of openings(run)) {
    if (items.length === limit) break;
    if (isAfter) items.push(itemOf(run, opening));
    else isAfter = opening.id === after;
  }
  return items;
}

/** The largest number of items on a page. */
export function limitOf({ limit }: PageRequest): number {
  return Number.isInteger(limit) ? Math.min(Math.max(limit as number, 1), ITEMS_PER_PAGE) : ITEMS_PER_PAGE;
}

/**
 * The JSON of the message that answers an item, with the parts to fill in as capitals. If the answer is not a text,
 * `ANSWER` has no quotes, since a number, list or object replaces it. In a project with keys it is a token.
 */
export function messageText({ send, schema, signed }: OpenItem, isSigned = signed === true): string {
  if (isSigned) return '{"token":"TOKEN"}';
  const text = JSON.stringify(send.input);
  const type = schema?.['type'];
  const isText = type === undefined || type === 'string' || Array.isArray(type);
  return send.name !== 'answer' || isText ? text : text.replace('"value":"ANSWER"', '"value":ANSWER');
}

/** The first open things: the run's own, then those that its agents have reported. */
export function firstOpen(run: Run, most: number): readonly OpenItem[] {
  const items = [...questionsOf(run, { limit: most })];
  for (const child of Object.values(run.dialogue.children)) items.push(...(child.items ?? []));
  return items.slice(0, most);
}

function itemOf(run: Run, opening: Opening): OpenItem {
  switch (opening.kind) {
    case 'approval':
      return approvalItem(run, opening);
    case 'question':
      return questionItem(run, opening);
    case 'settling':
      return settlingItem(run, opening);
    case 'fault':
      return faultItem(run, opening);
    case 'budget':
      return budgetItem(run, opening);
  }
}

function questionItem(run: Run, opening: Extract<Opening, { kind: 'question' }>): OpenItem {
  const { id, asked } = opening;
  const { text, roles, schema, default: byDefault, suggestions } = asked.question;
  return {
    ...open(run, opening, asked.node < 0 ? [] : [asked.node]),
    digest: askedAbout(run.dialogue, asked),
    kind: 'question',
    text: visible(text, { lines: true }),
    ...given({ schema, default: byDefault, suggestions }),
    send: { name: 'answer', input: { question: id, value: 'ANSWER', by: WHO, ...roleToSend(roles) } },
  };
}

function settlingItem(run: Run, opening: Extract<Opening, { kind: 'settling' }>): OpenItem {
  const { of, node, name, revision } = opening;
  const { slice, progress } = of;
  const { digest } = slice;
  const isUncertain = progress.status[node] === 'uncertain';
  const message = cutCharacters(progress.failures[node]?.message ?? '', MAX_TEXT);
  const facts = { ...open(run, opening, [node]), digest, revision, nodes: [name] };
  const who = { digest: digestToSend(run, digest), by: WHO, ...roleToSend(facts.roles) };
  const isRemoved = of !== run.execution;
  const title = `${name}${isRemoved ? ` of revision ${revision}` : ''} (${slice.summaries[node] ?? ''})`;
  const more = isRemoved ? ' The open plan does not have it; the run waits until somebody has said so.' : '';
  const { effects = [], ...left } = effectsOf({ ...run, execution: of }, [node], new Map());
  const began = of.scheduledAt[node];
  const when = began === undefined ? '' : ` It was begun at ${clockText(new Date(began).toISOString())}:`;
  return {
    ...facts,
    ...(isUncertain && { ...left, effects: effects.map((one) => ({ ...one, node: name })) }),
    kind: isUncertain ? 'uncertain' : 'failed',
    text: isUncertain
      ? `did ${title} happen?${when} ${message}${more}`
      : `${title} failed: ${message}; retry, skip or resolve it`,
    send: {
      name: 'control',
      input: isUncertain
        ? { action: 'resolve', node: name, outcome: 'OUTCOME', ...who }
        : { action: 'retry-node', node: name, ...who },
    },
  };
}

/** Without a plan only a message that stops the run takes effect. */
function faultItem(run: Run, opening: Opening): OpenItem {
  const { dialogue, execution } = run;
  const { backoff, planning } = dialogue;
  const mayFallBack = canFallBack(backoff);
  const canResume = execution !== undefined || mayFallBack;
  const again = backoff?.cause === 'worker' ? '' : 'it is tried again every 5 minutes, ';
  const ways: Ways = {
    ...(canResume && { resume: 'tries it at once and waits on' }),
    ...(mayFallBack && planning !== undefined && { fallback: 'goes on to a plan that no model has made' }),
    kill: 'stops the run',
  };
  return {
    ...open(run, opening, []),
    kind: 'fault',
    text: `the run waits for ${backoff === undefined ? '' : awaitedBy(backoff)}; ${again}${waysText(ways)}`,
    ways: waysIn(ways),
    send: {
      name: 'control',
      input: canResume ? { action: 'resume', by: WHO } : { action: 'kill', by: WHO, comment: 'WHY' },
    },
  };
}

/** The numbers of the budget, and the possible actions. */
function budgetItem(run: Run, opening: Opening): OpenItem {
  const { planning } = run.dialogue;
  const fallback =
    planning?.anew === undefined
      ? 'goes on to a plan that no model has made'
      : 'makes no other plan and ends with the results that there are';
  const ways: Ways = { resume: 'gives as much again', ...(planning && { fallback }), kill: 'stops the run' };
  return {
    ...open(run, opening, []),
    kind: 'budget',
    text: `${reasonFor(run)}; ${waysText(ways)}`,
    ways: waysIn(ways),
    send: { name: 'control', input: { action: 'resume', by: WHO } },
  };
}

/** The control actions that end a wait, each with its effect. */
type Ways = Partial<Record<ControlAction, string>>;

const waysIn = (ways: Ways) => Object.keys(ways) as ControlAction[];

function waysText(ways: Ways): string {
  return Object.entries(ways)
    .map(([action, does]) => `${action} ${does}`)
    .join(', ');
}
