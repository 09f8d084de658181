import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { cutCharacters } from '../plan/text/index.ts';
import { effectLines, itemCommand } from '../operations/words/index.ts';
import { toOperationError, type KeyedItem } from '../operations/index.ts';
import { given, type OpenItem } from '../protocol/index.ts';
import type { Host } from './host.ts';
import { elicitationForm, MAX_PLAN_TEXT, planPart, readForm, type FormReading } from './form.ts';
import type { HostSession } from './host-session.ts';

/** An open item with the key with which it is asked now. */
export interface ItemToAsk {
  readonly key: string;
  readonly item: KeyedItem;
}

const MAX_QUESTIONS = 20;

/** The items that a host may ask. Omits rejected plans, and items that need a signature or a role that is not named. */
export async function itemsToAsk(session: HostSession, open: readonly KeyedItem[]): Promise<readonly ItemToAsk[]> {
  // If a project has keys, it needs signatures, even before its run says so.
  const isSigned = (await session.plans.project())?.identity !== undefined;
  return open
    .filter((item) => !isSigned && isForHost(item, session))
    .flatMap((item) => {
      const key = session.answers.askedAs(item.key);
      return key === undefined ? [] : [{ key, item }];
    })
    .slice(0, MAX_QUESTIONS);
}

function isForHost(item: OpenItem, { settings: { answers, role } }: HostSession): boolean {
  const { signed, roles, send, leftOut } = item;
  const isOurs = roles === undefined || (role !== undefined && roles.includes(role));
  const isShown = leftOut === undefined && effectLines(item).join('\n').length <= MAX_PLAN_TEXT;
  return answers && signed !== true && isOurs && isShown && send.name !== 'decide';
}

/** The forms by key. An approval's form contains the plan. If another plan is open by now, the item is omitted. */
export async function formsFor(
  session: HostSession,
  items: readonly ItemToAsk[],
): Promise<readonly (readonly [key: string, form: ElicitRequestFormParams])[]> {
  const forms = items.map(async ({ key, item }) => {
    const effects = effectLines(item);
    if (item.kind !== 'approval')
      return [[key, elicitationForm(item, effects.length > 0 ? effects.join('\n') : undefined)] as const];
    const plan = await planOf(session, item);
    const lines = [...effects, plan, ...(item.context ?? [])];
    return plan === undefined ? [] : [[key, elicitationForm(item, lines.join('\n'))] as const];
  });
  return (await Promise.all(forms)).flat();
}

/** The text of the plan to approve; undefined if another plan is open by now. */
async function planOf(session: HostSession, { workflowId, digest }: OpenItem): Promise<string | undefined> {
  const shown = await session.perform('shown', { workflowId, whole: false });
  return shown.digest === digest ? shown.text : undefined;
}

/**
 * Open items with their keys for `answer_plan`. If the host asks its person or may not answer: with commands. Unless the
 * host asks its person, an approval contains the plan, and is omitted if another plan is open by now.
 */
export async function describeItems(session: HostSession, open: readonly KeyedItem[], { elicits }: Host) {
  const items = elicits ? [] : await itemsToAsk(session, open);
  const keys = new Map(items.map(({ key, item }) => [item.key, key]));
  const described = open.map(async (item) => {
    const isPlanShown = item.kind === 'approval' && !elicits;
    const plan = isPlanShown ? await planOf(session, item) : undefined;
    if (isPlanShown && plan === undefined) return [];
    const { kind, text, asks, bounds, effects, leftOut, context, roles, deadline, nodes } = item;
    const { schema, default: start, suggestions } = item;
    const key = keys.get(item.key);
    const how = key === undefined ? { command: itemCommand(item, session.plans.typed) } : { key };
    const question = { schema, default: start, suggestions, nodes };
    const shown = { ...given({ plan: plan && planPart(plan) }), asks, bounds, effects, leftOut, context };
    return [{ kind, text, ...shown, roles, deadline, ...question, ...how }];
  });
  return (await Promise.all(described)).flat();
}

/** The outcome of answers: a note for each, whether the run accepted one, and whether one stays open. */
interface Taken {
  readonly notes: readonly string[];
  readonly isTaken: boolean;
  readonly isLeft: boolean;
}

/**
 * Sends the answers of a host to their runs. Ignores an answer with an outdated key, for example because the plan was
 * edited.
 * @param open the items that are open now
 * @param read parses the content of an answer
 */
export async function takeAll(
  session: HostSession,
  run: string,
  open: readonly KeyedItem[],
  responses: Readonly<Record<string, unknown>>,
  host: Host,
  read: (item: OpenItem, content: unknown) => FormReading = readForm,
): Promise<Taken> {
  const items = new Map((await itemsToAsk(session, open)).map(({ key, item }) => [key, item]));
  const notes: string[] = [];
  let isTaken = false;
  let isLeft = false;
  for (const [key, response] of Object.entries(responses).slice(0, MAX_QUESTIONS)) {
    const item = items.get(key);
    const { action, content } = (response ?? {}) as { readonly action?: unknown; readonly content?: unknown };
    if (item === undefined || (action === 'accept' && !session.answers.claim(item.key, key))) {
      notes.push(passOver(session, run, key));
    } else if (action === 'accept') {
      const { outcome, text } = await sendAnswer(session, key, read(item, content), host);
      session.answers.note(item.key, outcome, run, text);
      notes.push(text);
      isTaken ||= outcome === 'taken';
      isLeft ||= session.answers.askedAs(item.key) !== undefined;
    } else {
      const did = action === 'decline' ? 'declined to answer it, which decides nothing' : 'said nothing to it';
      const text = `the person at the host ${did}; it waits until ${item.deadline}`;
      isLeft = true;
      // A task accepts each key once, so a later call asks with a new key.
      if (host.tasks) session.answers.note(item.key, 'declined', run, text);
      notes.push(text);
    }
  }
  return { notes, isTaken, isLeft };
}

async function sendAnswer(
  { settings: { by, role }, plans, perform }: HostSession,
  key: string,
  read: FormReading,
  host: Host,
): Promise<{ readonly outcome: 'taken' | 'misfit'; readonly text: string }> {
  if (!read.ok) return { outcome: 'misfit', text: `the answer to ${key} does not fit: ${read.problem}` };
  const { row, input } = read.message;
  const through = `through the MCP host ${host.name}`;
  const comment = typeof input['comment'] === 'string' ? `${input['comment']} (${through})` : through;
  try {
    const { reply } = await perform(row, { ...input, ...given({ by, role, comment }) });
    return { outcome: 'taken', text: reply };
  } catch (error) {
    const { code, message } = toOperationError(error, plans.typed);
    return { outcome: 'misfit', text: `${code}: ${message}` };
  }
}

function passOver(session: HostSession, run: string, key: string): string {
  const why =
    'it was answered, its plan is another one by now, it is of another run, or an answer did not fit and wait_plan gives another key; nothing was changed';
  const text = `nothing is asked under ${cutCharacters(key, 80)}: ${why}`;
  session.answers.remark(run, text);
  return text;
}
