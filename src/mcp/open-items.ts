/** The open items of a run at a host: which it is asked about, which it is shown a command for, and what becomes of an answer. */

import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { cutCharacters } from '../plan/text/index.ts';
import { effectLines, itemCommand } from '../operations/words/index.ts';
import { toOperationError, type KeyedItem } from '../operations/index.ts';
import { given, type OpenItem } from '../protocol/index.ts';
import type { Host } from './host.ts';
import { formOf, MOST_PLAN, readForm, type Read } from './form.ts';
import type { Room } from './room.ts';

/** An item in a request of its own, under the key under which it is asked now. */
export interface AskedItem {
  readonly key: string;
  readonly item: KeyedItem;
}

/** Requests of one answer to a host; what is left is asked when these are answered. */
const MOST_ASKED = 20;

/**
 * Those that the host is asked about. A signature is never taken through a host, nor is a word in a role that the operator did not
 * name, nor a plan to put in the place of another.
 */
export async function askedItems(room: Room, open: readonly KeyedItem[]): Promise<readonly AskedItem[]> {
  const isSigned = await needsSignatures(room);
  return open
    .filter((item) => !isSigned && isForHost(item, room))
    .flatMap((item) => {
      const key = room.answers.askedAs(item.key);
      return key === undefined ? [] : [{ key, item }];
    })
    .slice(0, MOST_ASKED);
}

/** A person who is not shown everything is told the command that shows all. */
function isForHost(item: OpenItem, { settings: { answers, role } }: Room): boolean {
  const { signed, roles, send, leftOut } = item;
  const isOurs = roles === undefined || (role !== undefined && roles.includes(role));
  const isShown = leftOut === undefined && effectLines(item).join('\n').length <= MOST_PLAN;
  return answers && signed !== true && isOurs && isShown && send.name !== 'decide';
}

/** A project with keys takes nothing unsigned, also before a run has told so. */
async function needsSignatures({ plans }: Room): Promise<boolean> {
  return (await plans.project())?.identity !== undefined;
}

/**
 * The forms by their keys. An approval has the plan that it is about, as its run shows it; where that is another one by now, the
 * item is asked no more.
 */
export async function formsFor(
  room: Room,
  asked: readonly AskedItem[],
): Promise<readonly (readonly [key: string, form: ElicitRequestFormParams])[]> {
  const forms = asked.map(async ({ key, item }) => {
    const effects = effectLines(item);
    if (item.kind !== 'approval')
      return [[key, formOf(item, effects.length > 0 ? effects.join('\n') : undefined)] as const];
    const { digest, text } = await room.perform('shown', { workflowId: item.workflowId, whole: false });
    const lines = [...effects, text, ...(item.context ?? [])];
    return digest === item.digest ? [[key, formOf(item, lines.join('\n'))] as const] : [];
  });
  return (await Promise.all(forms)).flat();
}

/** An item in an answer: what it asks, and how it is answered: under a key by a host that can ask nobody, else by a command. */
export async function toldItems(room: Room, open: readonly KeyedItem[], { elicits }: Host) {
  const items = elicits ? [] : await askedItems(room, open);
  const keys = new Map(items.map(({ key, item }) => [item.key, key]));
  return open.map((item) => {
    const { kind, text, asks, effects, leftOut, context, roles, deadline, nodes } = item;
    const { schema, default: start, suggestions } = item;
    const key = keys.get(item.key);
    const how = key === undefined ? { command: itemCommand(item, room.plans.typed) } : { key };
    const asked = { schema, default: start, suggestions, nodes };
    return { kind, text, asks, effects, leftOut, context, roles, deadline, ...asked, ...how };
  });
}

/** What became of answers: a note on each, whether the run took one, and whether one is left open. */
interface Taken {
  readonly notes: readonly string[];
  readonly isTaken: boolean;
  readonly isLeft: boolean;
}

/**
 * The answers of a host by the keys under which it was asked. A key that asks nothing now is passed over: it was answered, its plan
 * was edited, or it is none of this run.
 * @param open what is open now
 * @param read reads the content of an answer
 */
export async function takeAll(
  room: Room,
  run: string,
  open: readonly KeyedItem[],
  responses: Readonly<Record<string, unknown>>,
  host: Host,
  read: (item: OpenItem, content: unknown) => Read = readForm,
): Promise<Taken> {
  const asked = new Map((await askedItems(room, open)).map(({ key, item }) => [key, item]));
  const notes: string[] = [];
  let isTaken = false;
  let isLeft = false;
  for (const [key, response] of Object.entries(responses).slice(0, MOST_ASKED)) {
    const item = asked.get(key);
    const { action, content } = (response ?? {}) as { readonly action?: unknown; readonly content?: unknown };
    if (item === undefined || (action === 'accept' && !room.answers.claim(item.key, key))) {
      notes.push(passOver(room, run, key));
    } else if (action === 'accept') {
      const { outcome, text } = await say(room, key, read(item, content), host);
      room.answers.note(item.key, outcome, run, text);
      notes.push(text);
      isTaken ||= outcome === 'taken';
      isLeft ||= room.answers.askedAs(item.key) !== undefined;
    } else {
      const did = action === 'decline' ? 'declined to answer it, which decides nothing' : 'said nothing to it';
      const text = `the person at the host ${did}; it waits until ${item.deadline}`;
      isLeft = true;
      // The key of a task is used once in its life; another call asks anew.
      if (host.tasks) room.answers.note(item.key, 'declined', run, text);
      notes.push(text);
    }
  }
  return { notes, isTaken, isLeft };
}

/** Carries out the word of a person at a host. */
async function say(
  { settings: { by, role }, plans, perform }: Room,
  key: string,
  read: Read,
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

function passOver(room: Room, run: string, key: string): string {
  const why =
    'it was answered, its plan is another one by now, it is of another run, or an answer did not fit and wait_plan gives another key; nothing was changed';
  const text = `nothing is asked under ${cutCharacters(key, 80)}: ${why}`;
  room.answers.remark(run, text);
  return text;
}
