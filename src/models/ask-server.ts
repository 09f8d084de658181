/** Asks a server until it takes a request as it is, and remembers how it takes them. */

import { textOf } from './answer.ts';
import { bothOf, fit, learn, type Body, type Lesson, type Personality } from './personality.ts';
import { isUnsent, serverError, unreached, type Place } from './server-failure.ts';
import { wordsOf } from './server-words.ts';
import { addressOf, headersOf, personalityOf } from './wire-settings.ts';
import type { OpenAISettings } from './settings.ts';

/** A call, from its first request to the end of its answer. */
export interface Call {
  readonly signal: AbortSignal;
  readonly alive: () => void;
  readonly note: (note: string) => void;
  /** Whether the server has been given something to do: nobody can know that it has not done it. */
  isPaid: boolean;
}

/**
 * A server that is asked with these settings. A lesson is kept, and told, once the server has taken a request by it; it
 * lasts as long as this function.
 * @returns a function of the whole body, as far as formats go, and the call
 */
export function askServer(settings: OpenAISettings, at: Place) {
  const { url } = addressOf(settings);
  const headers = headersOf(settings);
  let known = personalityOf(settings);

  /** @throws ModelError also where the server refuses what cannot be taken out. Each lesson can be learnt once in a call. */
  return async (bodyOf: (personality: Personality) => Body, call: Call): Promise<Response> => {
    const lessons: Lesson[] = [];
    for (let trial = known; ;) {
      const body = fit(bodyOf(trial), trial);
      const answer = await post(body, call);
      call.alive();
      if (answer.ok) {
        keep(trial, lessons, call);
        return answer;
      }
      const words = wordsOf(await textOf(answer).catch(() => ''), answer.status, answer.headers);
      const failed = serverError(words, at);
      const lesson = failed.kind === 'bad-request' ? learn(trial, body, words) : undefined;
      if (lesson === undefined) throw failed;
      lessons.push(lesson);
      trial = lesson.personality;
    }
  };

  async function post(body: Body, call: Call): Promise<Response> {
    call.isPaid = true;
    try {
      const answer = await fetch(url, {
        ...{ method: 'POST', headers, body: JSON.stringify(body), signal: call.signal },
        // A redirect would carry the prompt to wherever it says.
        redirect: 'manual',
      });
      call.isPaid = answer.ok;
      return answer;
    } catch (thrown) {
      call.isPaid = !isUnsent(thrown);
      throw unreached(thrown, at);
    }
  }

  function keep(trial: Personality, lessons: readonly Lesson[], { note }: Call): void {
    const before = JSON.stringify(known);
    known = bothOf(known, trial);
    // Another call may have learnt the same meanwhile.
    if (lessons.length === 0 || JSON.stringify(known) === before) return;
    const lines = new Map(lessons.map(({ line }) => [line.split(':')[0], line]));
    const members = lessons.map(({ member }) => member).join(', ');
    note(
      `${at.secret.hideIn(at.place)} does not take ${members}, and is asked otherwise from now on. ` +
        `To begin so, add to the model in the config: ${[...lines.values()].join(', ')}`,
    );
  }
}
