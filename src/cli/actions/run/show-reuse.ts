/** What a run takes over of a closed one, shown before anybody is asked about the rest. */

import type { Session } from '../../../edge/project/index.ts';
import type { Output } from '../../terminal/index.ts';
import { COMPILED_MS, compiled, type Begun } from './approve-at-once.ts';
import { createPlanBoard } from './plan-board.ts';

/** False where nobody has compiled the plan in time, or it was refused: then the end of the run says why. */
export async function showReuse(
  { run, plan }: Required<Pick<Begun, 'run' | 'plan'>>,
  session: Session,
  output: Output,
  withinMs = COMPILED_MS,
): Promise<boolean> {
  if (!(await compiled(run, Date.now() + Math.min(withinMs, COMPILED_MS)))) return false;
  const note = (text: string) => output.note(`\n${text}`);
  return createPlanBoard(note, session, output).show(plan.digest, run);
}
