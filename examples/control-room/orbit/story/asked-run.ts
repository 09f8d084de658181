/** A run that was asked for in words, as the story sees it: its rounds as they come, and the cards that wait for a person. */

import { setTimeout as pause } from 'node:timers/promises';
import type { JsonValue } from 'planwright';
import { ClientError, type OpenItem, type RoundRecord, type RunEnd, type RunHandle } from 'planwright/client';
import { fit, wrap } from '../../../words.ts';
import { endRun, StoryError, type Stage } from '../../../stage/index.ts';
import { planOf } from '../../../from-goal/index.ts';
import { orbitApproval } from '../orbit-config.ts';
import { createSay, FIRST_OPERATOR, spoken, type Say } from '../../story/people.ts';
import { cardOf, type Card } from './card.ts';

/** A card, what it asks to be said about it, and to which plan. */
export interface WaitingCard extends Card {
  readonly workflowId: string;
  readonly digest: string;
}

export interface AskedRun {
  readonly run: RunHandle;
  readonly say: Say;
  /** Tells the rounds up to the next card, and shows that; at most 60 s. */
  nextCard(): Promise<WaitingCard>;
  /** Tells the rounds up to the end; no card may come before it. */
  untilEnd(): Promise<RunEnd>;
}

const POLL_MS = 50;
/** A worker that was killed is missed after 5 s of silence. */
const WITHIN_MS = 60_000;

/** Starts a run of these words, which ends with the demo at the latest. */
export async function askInWords(stage: Stage, goal: string, workflowId: string): Promise<AskedRun> {
  const { client, plans, screen, cleanup, signal } = stage;
  const { paint, width } = screen;
  const run = await plans.startGoal(goal, { workflowId, options: { mode: 'reactive', approval: orbitApproval() } });
  cleanup.add(() => endRun({ client, workflowId }));
  screen.say(
    ...spoken(screen, FIRST_OPERATOR, 'asks in words:'),
    ...wrap(`"${goal}"`, width - 14).map((part) => `              ${part}`),
  );
  let end: RunEnd | undefined;
  // A person who goes away ends the demo.
  run.end(signal).then(
    (ended) => (end = ended),
    () => {},
  );
  let told = 0;
  let notes: string | undefined;
  let decided = '';
  return {
    ...{ run, say: createSay(run, stage) },
    async nextCard() {
      const card = await until('a card', async () => {
        const item = (await opened()).find(({ kind, digest }) => kind === 'approval' && digest !== decided);
        return item === undefined ? undefined : cardFor(item);
      });
      decided = card.digest;
      // The round that decided it may have come since.
      await answered(tellRounds);
      const waits = `${paint('bold', 'Approval')} of ${card.step}, plan ${card.digest.slice(0, 8)}`;
      screen.say('', `    ${paint('yellow', '┌')} ${waits}`);
      for (const [name, text] of card.rows) {
        const [first = '', ...more] = wrap(text, width - 17);
        screen.say(`    ${paint('yellow', '│')} ${paint('dim', name.padEnd(9))} ${first}`);
        for (const part of more) screen.say(`    ${paint('yellow', '│')}           ${part}`);
      }
      screen.say(`    ${paint('yellow', '└')} ${paint('dim', 'from the compiled plan and what the device declares')}`);
      return card;
    },
    async untilEnd() {
      const ended = await until('its end', async () => end);
      await tellRounds();
      return ended;
    },
  };

  async function cardFor({ digest }: OpenItem): Promise<WaitingCard> {
    const [task] = (await planOf(run, stage)).tasks;
    if (task === undefined) throw new StoryError('failed', `plan ${digest} of ${workflowId} has no task`);
    return { ...cardOf(task), workflowId, digest };
  }

  async function until<Found>(what: string, look: () => Promise<Found | undefined>): Promise<Found> {
    for (const deadline = Date.now() + WITHIN_MS; ;) {
      const isOver = end !== undefined;
      await answered(tellRounds);
      const found = await answered(look);
      if (found !== undefined) return found;
      if (isOver) throw new StoryError('failed', `${workflowId} ended before ${what} came`);
      if (Date.now() > deadline) throw new StoryError('failed', `${workflowId} did not come to ${what} within 60 s`);
      await pause(POLL_MS, undefined, { signal });
    }
  }

  async function opened(): Promise<readonly OpenItem[]> {
    return (await run.view(['open'])).open;
  }

  async function tellRounds(): Promise<void> {
    const { loop } = (await run.view(['status'])).status;
    if (loop?.notes === undefined || loop.notes === notes) return;
    notes = loop.notes;
    const rounds = (await run.view(['rounds'])).rounds;
    for (const record of rounds.slice(told)) await tellRound(record);
    told = rounds.length;
  }

  async function tellRound({ round, happened, decision, line: dispatched }: RoundRecord): Promise<void> {
    if (happened !== undefined) {
      const { status, message, results } = happened;
      const isDone = status === 'succeeded';
      const values = await Promise.all(
        Object.values(results).map(async ({ ref }) => textOf(await run.readResult(ref))),
      );
      outcome(isDone ? 'green' : 'yellow', isDone ? values.join(' ') : `${status}: ${message ?? ''}`);
    }
    const { action, name, arguments: args } = (decision ?? {}) as Readonly<Record<string, JsonValue>>;
    const isStep = action === 'capability';
    const what = isStep ? `${inWords(name ?? '')}  ${inWords(args ?? {})}` : inWords(action ?? 'nothing');
    screen.say(`    ${paint('cyan', `step_${round}`.padEnd(8))} ${fit(what, width - 13).trimEnd()}`);
    const refused = isStep && dispatched.startsWith('no step: ') ? dispatched.slice('no step: '.length) : undefined;
    if (refused !== undefined) outcome('yellow', `nobody was asked. ${refused}`);
  }

  function outcome(style: 'green' | 'yellow', text: string): void {
    const parts = text.split('\n').flatMap((one) => wrap(one, width - 13));
    screen.say(...parts.map((part) => `             ${paint(style, part)}`));
  }
}

/** While a dead worker is not replaced nobody answers; undefined stands for that. */
async function answered<Found>(asked: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await asked();
  } catch (error) {
    if (error instanceof ClientError && error.code === 'no-worker') return undefined;
    throw error;
  }
}

function textOf(result: Awaited<ReturnType<RunHandle['readResult']>>): string {
  if (result.kind === 'text') return result.text;
  return inWords(result.kind === 'value' ? result.value : result.set.ids);
}

/** @example inWords({ device: 'CORR:1', armed: false }) // 'device CORR:1, armed false' */
function inWords(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(inWords).join(', ');
  return Object.entries(value)
    .map(([name, one]) => (isPlain(one) ? `${name} ${inWords(one)}` : inWords(one)))
    .join(', ');
}

function isPlain(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null || Array.isArray(value);
}
