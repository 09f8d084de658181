/** A search strategy is shown, decided on by the person at the terminal, and run through the death of its worker. */

import { userName } from '../../actions/values.ts';
import { exitCode } from '../../exit-codes.ts';
import { askKey } from '../ask-key.ts';
import { planLines } from '../plan-view.ts';
import { propose } from '../propose.ts';
import type { Screen } from '../screen.ts';
import { linkOf } from '../stage.ts';
import type { Scene, StoryEnd } from '../story.ts';
import { showEnd } from './show-end.ts';
import { watchRun } from './watch-run.ts';

/** Ends with 0 when the plan was carried out and no finished node ran twice. */
export async function tellGeneStrategies({ stage, worker, options, output }: Scene): Promise<StoryEnd> {
  const { screen, signal } = stage;
  const { yes = false, keep = false, kill } = options;
  const look = { ...screen, width: screen.width - 2 };
  const { run, plan } = await propose(stage, { draw: (shown) => planLines(shown, look) });
  const by = userName(undefined);
  const kind = yes ? 'approve' : await askDecision(screen, signal);
  await run.decide({ kind, digest: plan.digest, by });
  if (kind === 'reject') {
    await run.end(signal);
    screen.say('', 'Rejected: nothing of the plan was run.');
    return { code: exitCode('rejected'), stays: false };
  }
  screen.say('', `${screen.paint('bold', 'Run')}  plan ${plan.digest.slice(0, 8)}, approved by ${by}`);
  screen.say(`  ${screen.paint('dim', await linkOf(stage))}`, '');

  const watched = await watchRun({ stage, run, plan, worker, kill });
  const code = await showEnd({ stage, run, plan, output, watched, kill, stays: keep || !yes });
  return { code, worker: watched.worker, stays: !yes };
}

async function askDecision(screen: Screen, signal: AbortSignal): Promise<'approve' | 'reject'> {
  const { paint } = screen;
  screen.say(
    '',
    `Run exactly this plan?  ${paint('bold', 'y')} approve   ${paint('bold', 'n')} reject   ${paint('bold', 'q')} reject and leave`,
  );
  return (await askKey(['y', 'n', 'q'], signal)) === 'y' ? 'approve' : 'reject';
}
