/** A market is sized by a policy, through the death of its worker: a person is asked, pages are read, numbers are calculated. */

import type { JsonValue } from 'planwright';
import type { OpenItem } from 'planwright/client';
import { wrap } from '../../words.ts';
import { endRun, linkOf, StoryError, type DemoWorker, type Scene, type StoryEnd } from '../../stage/index.ts';
import { followRun, heldReplies, type ModelEntry } from '../../from-goal/index.ts';
import { GOAL } from '../market.ts';
import { ANALYST, answerOf } from './person.ts';
import { showMarket } from './show-market.ts';

/** Ends as done when every number is where its source says it is, and the size is what the numbers make. */
export async function tellMarket({ stage, worker: first, options, output }: Scene): Promise<StoryEnd> {
  const { screen, plans, workflowId, cleanup } = stage;
  const { model } = options;
  const { paint, width } = screen;
  const began = Date.now();
  const who = model === undefined ? SCRIPTED : `the model ${model.name} at ${model.baseURL}`;
  const lines = (text: string) => wrap(text, width - 2).map((line) => `  ${line}`);
  screen.say('', paint('bold', 'Goal'), ...lines(GOAL));
  screen.say('', paint('bold', 'Policy'), ...lines(RULES), ...lines(who).map((line) => paint('dim', line)));
  const run = await plans.startGoal(GOAL, { workflowId, options: { mode: 'reactive' } });
  cleanup.add(() => endRun(stage));
  screen.say('', paint('bold', 'Run'), `  ${paint('dim', await linkOf(stage))}`);

  let worker: DemoWorker = first;
  let killed: { readonly pid: number } | undefined;
  const answer = ({ text }: OpenItem): JsonValue => {
    const said = answerOf(text);
    screen.say(
      '',
      ...lines(`asks: ${text}`),
      `  ${ANALYST} (scripted): ${said === null ? 'I do not know' : JSON.stringify(said)}`,
      '',
    );
    return said;
  };
  /** A reply is bought and kept, and the policy has not heard of it. */
  const look = async (ledger: readonly ModelEntry[]) => {
    if (!options.kill || killed !== undefined || !heldReplies(ledger)?.length) return;
    killed = { pid: worker.pid };
    await worker.kill();
    screen.say('', `${paint('red', `worker ${killed.pid} killed`)} with SIGKILL: a reply was bought, nobody was told`);
    worker = await stage.startWorker();
    screen.say(
      `${paint('green', `worker ${worker.pid} started`)}; what was under way is overdue after 10 s of silence`,
    );
  };
  const decide = ({ text }: OpenItem) =>
    Promise.reject(new StoryError('failed', `every step of this policy reads, and one waits for approval: ${text}`));
  const end = await followRun(stage, run, { by: ANALYST, decide, answer, look });
  const seconds = (Date.now() - began) / 1000;
  const ended = await showMarket({
    stage,
    run,
    end,
    output,
    seconds,
    killed,
    wantsKill: options.kill,
    stays: options.keep,
  });
  return { ended, worker, stays: false };
}

const RULES =
  'Rules ask for the region and the currency, search pages, ask for what only people know, and calculate. A model decides ' +
  'where they do not: what a number is made from, which of two pages counts, which words to search by.';
const SCRIPTED = 'model and person are scripted: what they say was written beforehand; what they are asked was not';
