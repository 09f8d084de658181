/** A search strategy is shown, decided on by the person at the terminal, and run through the death of its worker. */

import { linkOf, planLines, propose, type Scene, type StoryEnd } from '../../../stage/index.ts';
import { askKey, type Screen } from '../../../terminal/index.ts';
import { showEnd } from './show-end.ts';
import { watchRun } from './watch-run.ts';

/** Ends as done when the plan was carried out and no finished node ran twice. */
export async function tellGeneStrategies({ stage, worker, options, output }: Scene): Promise<StoryEnd> {
  const { screen, signal } = stage;
  const { yes, keep, kill, by } = options;
  const look = { ...screen, width: screen.width - 2 };
  const { run, plan } = await propose(stage, { draw: (shown) => planLines(shown, look) });
  const kind = yes ? 'approve' : await askDecision(screen, signal);
  await run.decide({ kind, digest: plan.digest, by });
  if (kind === 'reject') {
    await run.end(signal);
    screen.say('', 'Rejected: nothing of the plan was run.');
    return { ended: 'rejected', stays: false };
  }
  screen.say('', `${screen.paint('bold', 'Run')}  plan ${plan.digest.slice(0, 8)}, approved by ${by}`);
  screen.say(`  ${screen.paint('dim', await linkOf(stage))}`, '');

  const watched = await watchRun({ stage, run, plan, worker, kill });
  const ended = await showEnd({ stage, run, plan, output, watched, kill, stays: keep || !yes });
  return { ended, worker: watched.worker, stays: !yes };
}

async function askDecision(screen: Screen, signal: AbortSignal): Promise<'approve' | 'reject'> {
  const { paint } = screen;
  screen.say(
    '',
    `Run exactly this plan?  ${paint('bold', 'y')} approve   ${paint('bold', 'n')} reject   ${paint('bold', 'q')} reject and leave`,
  );
  return (await askKey(['y', 'n', 'q'], signal)) === 'y' ? 'approve' : 'reject';
}
