/** A stage that throws or does not answer in time is named in the error. */

import { PolicyError } from '../../capabilities/policy/index.ts';
import { messageOf } from '../../plan/text/index.ts';

export interface StageBounds {
  readonly stageMs: number;
  readonly passes: (error: unknown) => boolean;
  readonly given: AbortSignal | undefined;
}

/**
 * A stage that throws is named in the error; a stage that does not answer in time is given up. The decider has the
 * bounds of its model.
 */
export async function within<T>(
  stage: { readonly name: string; readonly kind: string },
  { stageMs: ms, passes, given }: StageBounds,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const own = new AbortController();
  const signal = given === undefined ? own.signal : AbortSignal.any([given, own.signal]);
  const late = new Promise<never>((_, reject) => {
    if (stage.kind === 'decide') return;
    const message = `stage ${stage.name} has not answered within ${ms / 1000} s`;
    const error = new PolicyError('stage-late', message, { stage: stage.name });
    timer = setTimeout(() => {
      reject(error);
      own.abort(error);
    }, ms);
  });
  try {
    return await Promise.race([work(signal), late]);
  } catch (error) {
    throw passes(error) ? error : stageError(stage.name, error);
  } finally {
    clearTimeout(timer);
  }
}

export function guarded<T>(stage: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw stageError(stage, error);
  }
}

function stageError(stage: string, error: unknown): PolicyError {
  if (error instanceof PolicyError) return error;
  return new PolicyError('stage-threw', `stage ${stage} threw: ${messageOf(error)}`, { stage, cause: error });
}
