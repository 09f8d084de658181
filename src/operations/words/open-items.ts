/** The items that wait for a person, as text with commands. Capitals mark what the person must fill in. */

import { hanging, quoteForShell } from '../../plan/text/index.ts';
import { badgeOf, nodeLabel, valuesText } from '../../plan/outline/index.ts';
import { groupsBy } from '../../plan/index.ts';
import { given, isOfRemoved, schemaText, type AskedEffect, type OpenItem } from '../../protocol/index.ts';
import type { Inbox, UnreachableRun } from '../../client/index.ts';
import { fieldOf } from './answer-fields.ts';
import { cardOf, controlOf } from './cards.ts';

export const WAIT_VERBS: Readonly<Record<OpenItem['send']['name'], string>> = {
  approve: 'approve',
  decide: 'edit',
  answer: 'answer',
  control: 'decide',
};

export function effectLines({ effects = [], leftOut }: Pick<OpenItem, 'effects' | 'leftOut'>): readonly string[] {
  return [
    ...effects.flatMap((one) => [
      effectText(one),
      ...[...(one.untrusted ?? []), ...(one.shows ?? []), ...(one.before === undefined ? [] : [one.before])].map(
        (line) => `  ${line}`,
      ),
    ]),
    ...(leftOut === undefined ? [] : [leftOut]),
  ];
}

function effectText({ node, key, title, effect, cost, resource, values = [] }: AskedEffect): string {
  const where = nodeLabel({ id: node, ...given({ key }) });
  const price = cost === undefined ? '' : ` (cost ${cost})`;
  const words = values.length === 0 ? '' : ` with ${valuesText(values)}`;
  return `${badgeOf({ effect, ...given({ resource }) })} ${where} ${title}${price}${words}`;
}

export function waitPhrase(item: OpenItem): string {
  const { kind, text, asks, bounds = [], context = [], nodes, nodeCount, schema } = item;
  if (kind === 'uncertain')
    return [text, ...effectLines(item), isOfRemoved(item) ? SETTLE : `${SETTLE}; ${AGAIN}`].join('\n');
  if (kind === 'question') return `question: ${hanging(text)}${schema === undefined ? '' : ` (${schemaText(schema)})`}`;
  if (kind !== 'approval') return text;
  if (asks !== undefined) return [text, asks, bounds, ...effectLines(item), ...context].flat().join('\n');
  return `${text} ${nodes.join(', ')}${nodeCount > nodes.length ? ` and ${nodeCount - nodes.length} more` : ''}`;
}

const SETTLE = 'succeeded: it happened (--value gives its result); failed: it did not';
const AGAIN = '`retry` does it again, with --comment: how you know that it did not happen';

/** A message without its signature and without `by`. */
type Message = Readonly<Record<string, unknown>>;

interface Typing {
  readonly typed: (command: string) => string;
  readonly flags?: string;
  readonly signed?: boolean;
}

/**
 * The command that sends a message to a run. A plan becomes a file name.
 * @example commandOf('plan-1', { kind: 'approve', digest }, { typed }); // 'planwright approve plan-1 --digest
 * 3fa9c1d2'
 */
export function commandOf(workflowId: string, message: Message, { typed, flags = '', signed }: Typing): string {
  const run = quoteForShell(workflowId);
  const words =
    'question' in message
      ? answerWords(run, message)
      : 'action' in message
        ? controlWords(run, message)
        : decisionWords(run, message);
  return typed(`${[...words, ...speaking(message, signed)].join(' ')}${flags}`);
}

function speaking(message: Message, signed = false): readonly string[] {
  return [...options(message, ['role']), ...(signed ? ['--key', 'FILE'] : [])];
}

function answerWords(run: string, { question, value, ...rest }: Message): readonly string[] {
  return ['answer', run, ...[question, value].map(wordOf), ...options(rest, ['comment'])];
}

function controlWords(run: string, { action, node, ...rest }: Message): readonly string[] {
  const about = node === undefined ? [] : [wordOf(node)];
  const named = { ...rest, ...given({ digest: firstDigits(rest['digest']) }) };
  return [verbOf(action), run, ...about, ...options(named, ['outcome', 'value', 'digest', 'comment'])];
}

function decisionWords(run: string, { kind, digest, shown, nodes, plan, ref, ...rest }: Message): readonly string[] {
  const named = Array.isArray(nodes) ? { nodes: nodes.join(',') } : {};
  const document = (plan ?? ref) === undefined ? {} : { plan: 'FILE' };
  const all = { ...rest, ...named, ...document, digest: firstDigits(digest), shown: firstDigits(shown) };
  return [verbOf(kind), run, ...options(all, ['digest', 'shown', 'nodes', 'plan', 'feedback', 'all-seen', 'comment'])];
}

const DIGITS = 8;
const firstDigits = (hash: unknown) => (typeof hash === 'string' ? hash.slice(0, DIGITS) : undefined);
/** The decisions and actions whose command has another name. */
const VERBS: Readonly<Record<string, string>> = {
  'approve-part': 'approve',
  'retry-node': 'retry',
  'skip-node': 'skip',
};

function verbOf(name: unknown): string {
  return VERBS[String(name)] ?? wordOf(name);
}

function options(message: Message, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => (message[name] === undefined ? [] : [`--${name}`, wordOf(message[name])]));
}

function wordOf(value: unknown): string {
  return quoteForShell(typeof value === 'string' ? value : JSON.stringify(value));
}

/**
 * The message that answers an item. Capitals mark what a person must fill in.
 * @param role the sender's, if known
 */
export function answerTo(item: OpenItem, role?: string): Message {
  const { send, id, roles, digest } = item;
  const { by: _by, role: _role, ...input } = send.input;
  const mine = role !== undefined && roles?.includes(role) === true ? role : roles?.length === 1 ? roles[0] : 'ROLE';
  const inRole = roles === undefined ? {} : { role: mine };
  const messages: Readonly<Record<typeof send.name, Message>> = {
    approve: { kind: 'approve', digest, ...given({ shown: input['shown'], comment: input['comment'] }) },
    decide: { ...input, digest },
    answer: { question: id, value: input['value'] },
    // Omits the digest unless the node belongs to an earlier plan.
    control: isOfRemoved(item) ? input : given({ ...input, digest: undefined }),
  };
  return { ...messages[send.name], ...inRole };
}

/**
 * The command that answers an item, or that shows its effects if the item does not list them all.
 * @param flags connection flags, `''` or ` --address ...`
 * @param role the person's role, if known
 */
export function itemCommand(item: OpenItem, typed: Typing['typed'], flags = '', role?: string): string {
  if (item.leftOut !== undefined && item.send.name === 'approve')
    return typed(`effects ${quoteForShell(item.workflowId)}${flags}`);
  return commandOf(item.workflowId, answerTo(item, role), { typed, flags, signed: item.signed === true });
}

const MAX_VALUES = 5;

/** The commands that answer an item: one for each possible value or action, if there are few. */
export function itemCommands(
  item: OpenItem,
  typed: Typing['typed'],
  flags = '',
  role?: string,
): readonly [string, ...string[]] {
  const [first, ...others] = choicesOf(item).map((choice) => {
    const send = { ...item.send, input: { ...item.send.input, ...choice } };
    return itemCommand({ ...item, send }, typed, flags, role);
  });
  return [first ?? itemCommand(item, typed, flags, role), ...others];
}

function choicesOf(item: OpenItem): readonly object[] {
  const { kind, schema, suggestions } = item;
  switch (kind) {
    case 'approval':
      return [];
    case 'uncertain':
    case 'failed':
    case 'fault':
    case 'budget':
      return cardOf(item)
        .actions.filter(({ isRare }) => isRare !== true)
        .map(({ name, isReasonNeeded }) => ({
          ...controlOf(name),
          ...(isReasonNeeded === true && { comment: 'WHY' }),
        }));
    case 'question': {
      const field = fieldOf({ schema, suggestions });
      const values = field.kind === 'choice' && field.values.length <= MAX_VALUES ? field.values : [];
      return values.map((value) => ({ value: typeof value === 'boolean' ? (value ? 'yes' : 'no') : value }));
    }
  }
}

export function approveAllCommand(item: OpenItem, typed: Typing['typed'], flags = '', role?: string): string {
  const message = answerTo(item, role);
  const words = [
    'approve',
    '--plan',
    item.digest.slice(0, DIGITS),
    ...options(message, ['comment']),
    ...speaking(message, item.signed),
  ];
  return typed(`${words.join(' ')}${flags}`);
}

/**
 * What an inbox does not show: younger items, and runs without an answer.
 * @param hint how to see the younger ones @param most runs of a group that are shown
 */
export function missingOfInbox(inbox: Inbox, hint = '--limit shows more', most = Infinity): string[] {
  const { items, more, groups, unreachable, notAsked } = inbox;
  // Counts all runs of a group, even if the list is cut at its limit.
  const hidden = items.length + more - groups.reduce((sum, { count }) => sum + Math.min(count, most), 0);
  return [
    ...(hidden <= 0 ? [] : [`${hidden} more wait, younger than these; ${hint}`]),
    ...silentText(unreachable),
    ...(notAsked === 0 ? [] : [`${notAsked} running runs were not asked, since so many are not asked at once`]),
  ];
}

const RUNS_NAMED = 5;

export function silentText(unreachable: readonly Pick<UnreachableRun, 'workflowId' | 'reason'>[]): string[] {
  const byReason = groupsBy(unreachable.slice(0, RUNS_NAMED), ({ reason }) => reason);
  const named = [...byReason].map(
    ([reason, runs]) => `${runs.map(({ workflowId }) => workflowId).join(', ')} (${reason})`,
  );
  const rest = unreachable.length - RUNS_NAMED;
  return named.length === 0 ? [] : [`no answer from ${named.join('; ')}${rest <= 0 ? '' : ` and ${rest} more runs`}`];
}
