/** The command `planwright answer`: asks a person at a terminal each open question. */

import type { RunHandle } from '../../client/index.ts';
import type { JsonValue } from '../../plan/index.ts';
import { quoteForShell } from '../../plan/text/index.ts';
import { OperationError, wrongUsage, toOperationError, type OutputOf } from '../../operations/index.ts';
import type { OpenItem } from '../../protocol/index.ts';
import { asTyped } from '../typed-command.ts';
import type { View } from '../row-command.ts';
import { commandFor, replyText } from '../view/index.ts';
import type { Output } from '../terminal/index.ts';

type Answered = OutputOf<'answer'>;

export const answerView: View<'answer'> = {
  async handle(answer, { workflowId = '', question, value: typed }, { typed: { json }, flags, output, plans }) {
    const { askAnswer, readTypedAnswer } = await import('../reading/index.ts');
    const open = await openQuestions((await plans.run(workflowId)).run, question !== undefined && typed !== undefined);
    // If an agent asks, the answer goes to the agent's own run.
    const say = (value: JsonValue, item?: OpenItem) =>
      answer({ workflowId: item?.workflowId ?? workflowId, question: item?.id ?? question ?? '', value });
    const ask = (item: OpenItem) =>
      sayUntilTaken(
        () => askAnswer(item),
        (value) => say(value, item),
        output,
      );
    if (question === undefined) {
      if (open.length === 0) throw new OperationError('REFUSED', `run ${workflowId} asks nothing`);
      return output.canAsk ? askEach(open, ask, output) : refuseUnnamed(open, flags);
    }
    const item = open.find(({ id }) => id === question);
    if (typed !== undefined) return say(readTypedAnswer(typed as string, item?.schema, json === true), item);
    if (item === undefined) throw new OperationError('REFUSED', `run ${workflowId} has no open question ${question}`);
    if (output.canAsk) return ask(item);
    const command = asTyped(`answer ${quoteForShell(workflowId)} ${quoteForShell(question)} ANSWER${flags}`);
    throw wrongUsage(`give the answer too: ${command}`, { command });
  },
};

/** Asks one question at a time. @returns the last answer; undefined if the person left all open */
export async function askEach(
  open: readonly OpenItem[],
  ask: (item: OpenItem) => Promise<Answered | undefined>,
  output: Pick<Output, 'note'>,
): Promise<Answered | undefined> {
  let last: Answered | undefined;
  for (const item of open) {
    try {
      const taken = await ask(item);
      if (taken !== undefined && last !== undefined) output.note(replyText(last));
      last = taken ?? last;
    } catch (error) {
      // If somebody else has answered the question, continues with the next.
      const { code, message } = toOperationError(error, asTyped);
      if (code !== 'STALE' || open.length === 1) throw error;
      output.note(message);
    }
  }
  return last;
}

function refuseUnnamed(open: readonly OpenItem[], flags: string): never {
  const questions = open.map((one) => ({ id: one.id, text: one.text, command: commandFor(one, flags) }));
  const listed = questions.map((one) => `${one.text.replaceAll(/\s+/g, ' ')} ${one.command}`).join('\n  ');
  throw wrongUsage(`name the question that you answer:\n  ${listed}`, { questions });
}

/** Asks a person again until the run accepts the answer; undefined if the person leaves the question open. */
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

/**
 * The open questions of a run. If no worker answers and the answer is completely typed, none are needed: the server
 * stores the answer.
 */
async function openQuestions(run: Pick<RunHandle, 'view'>, saysAll: boolean): Promise<readonly OpenItem[]> {
  try {
    return (await run.view(['open'])).open.filter(({ kind }) => kind === 'question');
  } catch (error) {
    if (saysAll && toOperationError(error).code === 'NO_WORKER') return [];
    throw error;
  }
}
