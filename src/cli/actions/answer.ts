/** `planwright answer`: the answer to a question of a run. */

import type { RunHandle } from '../../edge/client/index.ts';
import type { JsonValue } from '../../language/plan/index.ts';
import { folderStoreDir, withRun } from '../../edge/project/index.ts';
import type { Answer, OpenItem } from '../../wire/contract/index.ts';
import { parseAnswer } from '../../engine/run/index.ts';
import type { Output } from '../terminal/index.ts';
import { asTyped } from '../as-typed.ts';
import { CliError, toCliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import { askAnswer, openSigner, readValue, speakerOf, type SpeakerOptions } from '../reading/index.ts';
import { commandFor, connectionFlags, shellWord } from '../showing/index.ts';

export interface AnswerOptions extends SpeakerOptions {
  readonly json?: true | undefined;
}

export async function answer(
  options: AnswerOptions & GlobalOptions,
  output: Output,
  workflowId: string,
  question?: string,
  typed?: string,
): Promise<number> {
  const signer = await openSigner(options);
  const speaker = speakerOf(options);
  const flags = connectionFlags(options);
  return withRun(workflowId, { storeDir: await folderStoreDir(), signer }, async ({ run }) => {
    const open = await openQuestions(run, question !== undefined && typed !== undefined);
    const item = question === undefined ? theOne(open, output, run, flags) : open.find(({ id }) => id === question);
    const id = question ?? item?.id ?? '';
    // What an agent asks is answered to the agent's own run.
    const asking = item === undefined ? run : run.child(item.workflowId);
    const say = async (value: JsonValue) => {
      const said = answerOf({ question: id, value, ...speaker });
      return { said, reply: (await asking.answer(said)).reply };
    };
    const taken =
      typed === undefined
        ? await sayUntilTaken(() => askFor(item, id, output, run, flags), say, output)
        : await say(readValue(typed, item?.schema, options.json));
    if (taken === undefined) return exitCode('waiting');
    const { said, reply } = taken;
    const { workflowId: addressed } = asking;
    output.print({ ok: true, workflowId: addressed, ...said, reply }, () => `${addressed}: ${reply}`);
    return exitCode('done');
  });
}

/** Whoever is asked at a prompt is asked again when the answer does not fit. Undefined: the question was left open. */
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
      const known = toCliError(error);
      const isWrongWord = known.code === 'UNCLEAR' || known.details['refusal'] === 'wrong-answer';
      if (!isWrongWord) throw known;
      output.note(known.message);
    }
  }
}

/** An answer that names its question needs no worker: the server keeps it, and the value is read as it stands. */
async function openQuestions(run: RunHandle, saysAll: boolean): Promise<readonly OpenItem[]> {
  const open: OpenItem[] = [];
  try {
    for await (const item of run.questions()) if (item.kind === 'question') open.push(item);
  } catch (error) {
    if (!saysAll || toCliError(error).code !== 'NO_WORKER') throw error;
  }
  return open;
}

/** A script must name the question it answers; a person may be shown the only one. */
function theOne(open: readonly OpenItem[], output: Output, run: RunHandle, flags: string): OpenItem {
  const [first, second] = open;
  if (first === undefined) throw new CliError('REFUSED', `run ${run.workflowId} asks nothing`);
  if (output.canAsk && second === undefined) return first;
  const questions = open.map((item) => ({ id: item.id, text: item.text, command: commandFor(item, flags) }));
  const listed = questions.map(({ text, command }) => `${text.replaceAll(/\s+/g, ' ')} ${command}`).join('\n  ');
  throw new CliError('USAGE', `name the question that you answer:\n  ${listed}`, { questions });
}

function askFor(
  item: OpenItem | undefined,
  id: string,
  output: Output,
  run: RunHandle,
  flags: string,
): Promise<JsonValue | undefined> {
  if (item === undefined) throw new CliError('REFUSED', `run ${run.workflowId} has no open question ${id}`);
  if (output.canAsk) return askAnswer(item);
  const command = asTyped(`answer ${shellWord(run.workflowId)} ${shellWord(id)} ANSWER${flags}`);
  throw new CliError('USAGE', `give the answer too: ${command}`, { command });
}

function answerOf(said: Answer): Answer {
  const parsed = parseAnswer(said);
  if (parsed.ok) return parsed.answer;
  throw new CliError('USAGE', parsed.reason);
}
