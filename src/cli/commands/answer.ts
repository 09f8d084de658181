/** `planwright answer`: the answer to a question of a run. */

import type { JsonValue } from '../../plan/index.ts';
import { quoteForShell } from '../../plan/text/index.ts';
import { OperationError, toOperationError } from '../../operations/index.ts';
import type { OpenItem } from '../../protocol/index.ts';
import { asTyped } from '../as-typed.ts';
import { defineCommand } from '../define-command.ts';
import { flag } from '../options.ts';
import { commandFor } from '../view/index.ts';
import type { Output } from '../terminal/index.ts';
import { SPEAKER } from '../flags.ts';

export const answerCommand = defineCommand({
  name: 'answer',
  summary: 'answer a question of a run',
  description: 'answer a question of a run; of a question for yes or no the words count',
  examples: ['planwright answer plan-1 3fa9c1d2.node_3 42 --by operator'],
  arguments: {
    workflowId: 'the run',
    'question?': 'id of the question; on a terminal the only one is asked',
    'value?': 'JSON if it parses as JSON, else text',
  },
  flags: { json: flag('the value is JSON, and nothing else is taken'), ...SPEAKER },
  async run({ workflowId, question, value: typed, json, ...rest }, { flags, output, plans, perform }) {
    const { askAnswer, readValue, speakerOf } = await import('../reading/index.ts');
    const speaker = speakerOf(rest);
    const open = await openQuestions((await plans.run(workflowId)).run, question !== undefined && typed !== undefined);
    const item = question === undefined ? theOne(open) : open.find(({ id }) => id === question);
    const id = question ?? item?.id ?? '';
    // The agent's own run is told the answer to a question of the agent.
    const addressed = item?.workflowId ?? workflowId;
    const say = (value: JsonValue) => perform('answer', { workflowId: addressed, question: id, value, ...speaker });
    const taken =
      typed === undefined ? await sayUntilTaken(ask, say, output) : await say(readValue(typed, item?.schema, json));
    if (taken === undefined) return 'waiting';
    output.print({ ok: true, ...taken }, () => `${taken.workflowId}: ${taken.reply}`);
    return 'done';

    /** A script must name the question it answers; a person may be shown the only one. */
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
});

/** A person at a prompt is asked again when the answer does not fit. Undefined: the question was left open. */
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
      const known = toOperationError(error, asTyped);
      const isWrongWord = known.code === 'UNCLEAR' || known.details['refusal'] === 'wrong-answer';
      if (!isWrongWord) throw known;
      output.note(known.message);
    }
  }
}

/** An answer that names its question needs no worker: the server keeps it, and the value is read as it stands. */
async function openQuestions(
  run: { questions(): AsyncIterable<OpenItem> },
  saysAll: boolean,
): Promise<readonly OpenItem[]> {
  const open: OpenItem[] = [];
  try {
    for await (const item of run.questions()) if (item.kind === 'question') open.push(item);
  } catch (error) {
    if (!saysAll || toOperationError(error).code !== 'NO_WORKER') throw error;
  }
  return open;
}
