/** What silence means: after a deadline a question takes its default, which has to be stored as an answer is. */

import { giveUp, nodeId, takeDefault, type AskedQuestion, type Run } from '../run/index.ts';
import { now } from './now.ts';
import { reasonOf, storeAnswer } from './reach.ts';

export async function takeDefaults(run: Run, due: readonly AskedQuestion[]): Promise<void> {
  await Promise.all(due.map((asked) => takeOne(run, asked)));
}

async function takeOne(run: Run, asked: AskedQuestion): Promise<void> {
  const { question, node } = asked;
  try {
    const request = { revision: run.slice?.revisionRef ?? '', nodeId: nodeId(node), value: question.default ?? null };
    const reply = await storeAnswer(request);
    if (reply.ok) takeDefault(run, asked, reply.handle, now());
    else giveUp(run, asked, now(), `its default does not fit (${reply.reason}), and nobody answered`);
  } catch (error) {
    giveUp(run, asked, now(), `its default could not be stored (${reasonOf(error)}), and nobody answered`);
  }
}
