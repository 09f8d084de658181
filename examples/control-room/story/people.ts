/** The people of the story. They are scripted; what the run answers them is not. */

import { setTimeout as pause } from 'node:timers/promises';
import {
  ClientError,
  type Answer,
  type Control,
  type Decision,
  type Refusal,
  type RunHandle,
  type Ack,
} from 'planwright/client';
import { StoryError, type Screen, type Stage } from '../../stage/index.ts';
import { wrap } from '../../words.ts';

export interface Person {
  readonly name: string;
  readonly role: string;
}

export const FIRST_OPERATOR: Person = { name: 'first-operator', role: 'operator' };
export const SECOND_OPERATOR: Person = { name: 'second-operator', role: 'operator' };
export const SAFETY_OFFICER: Person = { name: 'safety-officer', role: 'safety' };

/** Columns before the rest of a speech that takes several lines. */
const SPEECH_INDENT = 14;

/** A message without the one who says it. */
type Unsaid<Message> = Omit<Message, 'by' | 'role'>;

interface Spoken {
  readonly by: Person;
  /** The words for the reader: `approves node_5`. */
  readonly says: string;
  /** The answer that the story needs; a refusal by its kind. */
  readonly expects: 'taken' | Refusal;
}

export type Speech = Spoken &
  ({ readonly decide: Unsaid<Decision> } | { readonly answer: Unsaid<Answer> } | { readonly control: Unsaid<Control> });

/**
 * Says it to the run, after a pause for the eye, and shows both sides. Ends the story when the run answers otherwise
 * than it must.
 */
export type Say = (speech: Speech) => Promise<void>;

export function createSay(run: RunHandle, { screen, options, signal }: Stage): Say {
  return async (speech) => {
    const { by, says, expects } = speech;
    await pause(options.paceMs, undefined, { signal });
    screen.say(...spoken(screen, by, says));
    const reply = await hear(() => send(run, speech));
    screen.say(...replyLines(screen, reply));
    if (reply.was === expects) return;
    throw new StoryError(
      'failed',
      `"${says}" by ${by.name} should have been ${expects} and was ${reply.was}: ${reply.text}`,
    );
  };
}

/** A person's words or deeds, wrapped below themselves. */
export function spoken({ paint, width }: Screen, { name, role }: Person, says: string): readonly string[] {
  const [first = '', ...rest] = wrap(`scripted: ${name} (${role}) ${says}`, width - SPEECH_INDENT);
  const painted = first.replace(`scripted: ${name}`, `${paint('dim', 'scripted:')} ${paint('bold', name)}`);
  return [`    ${painted}`, ...rest.map((part) => `${' '.repeat(SPEECH_INDENT)}${part}`)];
}

interface Reply {
  readonly was: 'taken' | Refusal;
  readonly text: string;
}

function replyLines({ paint, width }: Screen, { was, text }: Reply): readonly string[] {
  const [word, style] = was === 'taken' ? (['taken', 'green'] as const) : (['refused', 'yellow'] as const);
  const parts = wrap(`${word}: ${text}`, width - 14);
  return parts.map((part, at) => `${at === 0 ? '          run ' : '              '}${paint(style, part)}`);
}

function send(run: RunHandle, speech: Speech): Promise<Ack> {
  const { name: by, role } = speech.by;
  if ('decide' in speech) return run.decide({ ...speech.decide, by, role });
  if ('answer' in speech) return run.answer({ ...speech.answer, by, role });
  return run.control({ ...speech.control, by, role });
}

/** How often a thing is said while no worker answers; each time waits for seconds, and it counts once. */
const SAID_AT_MOST = 6;

async function hear(said: () => Promise<Ack>): Promise<Reply> {
  try {
    let told = await said();
    for (let times = 1; told.how === 'kept' && times < SAID_AT_MOST; times++) told = await said();
    if (told.how === 'answered') return { was: 'taken', text: told.reply };
    throw new StoryError('no-worker', told.reply);
  } catch (error) {
    if (error instanceof ClientError && error.refusal !== undefined) return { was: error.refusal, text: error.message };
    throw error;
  }
}
