/** `planwright answer` at a terminal: a person answers the only open question. */

import type { RunHandle } from '../../client/index.ts';
import type { JsonValue } from '../../plan/index.ts';
import { quoteForShell } from '../../plan/text/index.ts';
import { OperationError, toOperationError } from '../../operations/index.ts';
import type { OpenItem } from '../../protocol/index.ts';
import { asTyped } from '../typed-command.ts';
import type { View } from '../row-command.ts';
import { commandFor } from '../view/index.ts';
import type { Output } from '../terminal/index.ts';

export const answerView: View<'answer'> = {
  show: ({ workflowId, reply }) => `${workflowId}: ${reply}`,
  async handle(answer, { workflowId = '', question, value: typed }, { typed: { json }, flags, output, plans }) {
    const { askAnswer, readTypedAnswer } = await import('../reading/index.ts');
    const open = await openQuestions((await plans.run(workflowId)).run, question !== undefined && typed !== undefined);
    const item = question === undefined ? theOne(open) : open.find(({ id }) => id === question);
    const id = question ?? item?.id ?? '';
    // The agent's own run takes the answer.
    const say = (value: JsonValue) => answer({ workflowId: item?.workflowId ?? workflowId, question: id, value });
    if (typed !== undefined) return say(readTypedAnswer(typed as string, item?.schema, json === true));
    return sayUntilTaken(ask, say, output);

    /** A script must name its question; a person may be shown the only one. */
    function theOne([first, ...others]: readonly OpenItem[]): OpenItem {
      if (first === undefined) throw new OperationError('REFUSED', `run ${workflowId} asks nothing`);
      if (output.canAsk && others.length === 0) return first;
      const questions = [first, ...others].map((one) => ({
        id: one.id,
        text: one.text,
        command: commandFor(one, flags),
      }));
      const listed = questions.map((one) => `${one.text.replaceAll(/\s+/g, ' ')} ${one.command}`).join('\n  ');
      throw new OperationError('USAGE', `name the question that you answer:\n  ${listed}`, { questions });
    }

    async function ask(): Promise<JsonValue | undefined> {
      if (item === undefined) throw new OperationError('REFUSED', `run ${workflowId} has no open question ${id}`);
      if (output.canAsk) return askAnswer(item);
      const command = asTyped(`answer ${quoteForShell(workflowId)} ${quoteForShell(id)} ANSWER${flags}`);
      throw new OperationError('USAGE', `give the answer too: ${command}`, { command });
    }
  },
};

/** Asks a person again if the answer does not fit. Undefined: the question stays open. */
export async function sayUntilTaken<T>(
  ask: () => Promise<JsonValue | undefined>,
  say: (value: JsonValue) => Promise<T>,
  output: Pick<Output, 'note'>,
): Promise<T | undefined> {
  for (;;) {
    try {
      const value = await ask();
      return value === undefined ? undefined : await say(value);
    } catch (error) {
      const failure = toOperationError(error, asTyped);
      const isWrongWord = failure.code === 'UNCLEAR' || failure.details['refusal'] === 'wrong-answer';
      if (!isWrongWord) throw failure;
      output.note(failure.message);
    }
  }
}

/** An answer that names its question needs no worker: the server stores it, and the value is not converted. */
async function openQuestions(run: Pick<RunHandle, 'view'>, saysAll: boolean): Promise<readonly OpenItem[]> {
  try {
    return (await run.view(['open'])).open.filter(({ kind }) => kind === 'question');
  } catch (error) {
    if (saysAll && toOperationError(error).code === 'NO_WORKER') return [];
    throw error;
  }
}
