/** The open items of a run at a host: which it is asked about, which it is shown a command for, and what becomes of an answer. */

import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { cutCharacters } from '../plan/text/index.ts';
import { itemCommand } from '../operations/words/index.ts';
import { itemKey, toOperationError, type KeyedItem } from '../operations/index.ts';
import type { OpenItem } from '../protocol/index.ts';
import type { Host } from './host.ts';
import { formOf, readAnswer, readForm, type Read } from './form.ts';
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

function isForHost({ signed, roles, send }: OpenItem, { settings: { answers, role } }: Room): boolean {
  const isOurs = roles === undefined || (role !== undefined && roles.includes(role));
  return answers && signed !== true && isOurs && send.name !== 'decide';
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
    if (item.kind !== 'approval') return [[key, formOf(item)] as const];
    const { digest, text } = await room.perform('shown', { workflowId: item.workflowId, whole: false });
    return digest === item.digest ? [[key, formOf(item, [text, ...(item.context ?? [])].join('\n'))] as const] : [];
  });
  return (await Promise.all(forms)).flat();
}

/** An item in an answer: what it asks, and how it is answered: under a key by a host that can ask nobody, else by a command. */
export async function toldItems(room: Room, open: readonly KeyedItem[], { elicits }: Host) {
  const items = elicits ? [] : await askedItems(room, open);
  const asked = new Map(items.map(({ key, item }) => [item.key, key]));
  return open.map((item) => {
    const { kind, text, asks, effects, context, roles, deadline, schema, default: start, suggestions, nodes } = item;
    const key = asked.get(item.key);
    const how = key === undefined ? { command: itemCommand(item, room.plans.typed) } : { key };
    return { kind, text, asks, effects, context, roles, deadline, schema, default: start, suggestions, nodes, ...how };
  });
}

/** Carries out the word of a person at a host, and notes what came of it. Of answers that come at once one claims the key. */
async function take(room: Room, { key, item }: AskedItem, read: Read, run: string, host: Host): Promise<Taken> {
  if (!room.answers.claim(item.key, key)) return { taken: false, note: passOver(room, run, key) };
  if (!read.ok) return note('misfit', `the answer to ${key} does not fit: ${read.problem}`);
  const { by, role } = room.settings;
  const { row, input } = read.message;
  const { comment } = input;
  const through = `through the MCP host ${host.name}`;
  const said = typeof comment === 'string' ? `${comment} (${through})` : through;
  try {
    const { reply } = await room.perform(row, { ...input, by, ...(role !== undefined && { role }), comment: said });
    return note('taken', reply);
  } catch (error) {
    const { code, message } = toOperationError(error, room.plans.typed);
    return note('misfit', `${code}: ${message}`);
  }

  function note(outcome: 'taken' | 'misfit', text: string): Taken {
    room.answers.note(item.key, outcome, run, text);
    return { taken: outcome === 'taken', note: text };
  }
}

interface Taken {
  readonly taken: boolean;
  readonly note: string;
}

/**
 * The answers of a host by the keys under which it was asked. A key that asks nothing now is passed over: it was answered, its plan
 * was edited, or it is none of this run.
 * @param open what is open now
 * @returns a note on each, and whether one is left open
 */
export async function takeAll(
  room: Room,
  run: string,
  open: readonly KeyedItem[],
  responses: Readonly<Record<string, unknown>>,
  host: Host,
): Promise<{ readonly notes: readonly string[]; readonly isLeft: boolean }> {
  const asked = new Map((await askedItems(room, open)).map((one) => [one.key, one]));
  const notes: string[] = [];
  let isLeft = false;
  for (const [key, response] of Object.entries(responses).slice(0, MOST_ASKED)) {
    const one = asked.get(key);
    const { action, content } = (response ?? {}) as { readonly action?: unknown; readonly content?: unknown };
    if (one === undefined) {
      notes.push(passOver(room, run, key));
    } else if (action === 'accept') {
      notes.push((await take(room, one, readForm(one.item, content), run, host)).note);
      isLeft ||= room.answers.askedAs(one.item.key) !== undefined;
    } else {
      const did = action === 'decline' ? 'declined to answer it, which decides nothing' : 'said nothing to it';
      const text = `the person at the host ${did}; it waits until ${one.item.deadline}`;
      isLeft = true;
      // The key of a task is used once in its life; another call asks anew.
      if (host.tasks) room.answers.note(one.item.key, 'declined', run, text);
      notes.push(text);
    }
  }
  return { notes, isLeft };
}

/** Answers one item by its key, as a model does whose host can ask nobody. */
export async function takeOne(
  room: Room,
  run: string,
  open: readonly OpenItem[],
  { key, ...said }: { readonly key: string } & Readonly<Record<string, unknown>>,
  host: Host,
): Promise<Taken> {
  const keyed = open.map((item) => ({ ...item, key: itemKey(item) }));
  const one = (await askedItems(room, keyed)).find((each) => each.key === key);
  if (one === undefined) return { taken: false, note: passOver(room, run, key) };
  return take(room, one, readAnswer(one.item, said), run, host);
}

function passOver(room: Room, run: string, key: string): string {
  const why = 'it was answered, its plan is another one by now, or it is of another run; nothing was changed';
  const text = `nothing is asked under ${cutCharacters(key, 80)}: ${why}`;
  room.answers.remark(run, text);
  return text;
}
