/** A plan in one line: its digest and its size. */

import type { CompiledPlan } from '../../language/plan/index.ts';
import { counted } from '../../language/text/index.ts';

export function digestLine({ digest, tasks, combines }: CompiledPlan): string {
  const counts = `${counted(tasks.length, 'task')}, ${counted(combines.length, 'combine')}`;
  return `digest ${digest}\n${counted(tasks.length + combines.length, 'node')}: ${counts}`;
}
