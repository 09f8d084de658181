import type { PlanSource, RunOptions } from './options.ts';
import { given } from './payload.ts';
import type { CompileRequest } from './requests.ts';

/**
 * Everything except the ids of the run. A worker compares it with a signed start, so it must contain every option that
 * a compile reads.
 */
export function compileRequestOf(
  source: PlanSource,
  options: RunOptions,
): Omit<CompileRequest, 'firstRunId' | 'start' | 'startToken'> {
  const { approval, budget } = options;
  return {
    source,
    ...compiling(options),
    ...ruleCapabilities(options),
    ...(approval !== 'required' && { approval }),
    ...given({ budget }),
  };
}

export function compiling({ reuse, fresh, ...options }: RunOptions) {
  return { ...compilingStep(options), ...(reuse !== undefined && { reuse: { of: reuse, ...(fresh && { fresh }) } }) };
}

export function compilingStep({ limits, context, conversation }: Omit<RunOptions, 'reuse' | 'fresh'>) {
  return given({ limits, context, conversation });
}

export function ruleCapabilities({ approval }: RunOptions): Pick<CompileRequest, 'ruleCapabilities'> {
  const rules = typeof approval === 'string' ? [] : approval.rules;
  const names = rules.flatMap(({ capability }) => capability ?? []);
  return names.length > 0 ? { ruleCapabilities: names } : {};
}
