/** The operator of `combine` and its parameters, as they are typed. */

import {
  compilePlan,
  operatorNames,
  readOperatorName,
  type Colocate,
  type Operator,
  type PlanIssue,
} from '../../../language/plan/index.ts';
import type { Output } from '../../terminal/index.ts';
import { CliError } from '../../cli-error.ts';
import { readJsonWord } from '../../reading/index.ts';

export interface ColocateFlags {
  readonly upstream?: number | undefined;
  readonly downstream?: number | undefined;
  /** Both of them. */
  readonly window?: number | undefined;
  readonly strand?: 'both' | 'same' | 'opposite' | undefined;
  readonly operation?: 'overlap' | 'contains' | 'within' | undefined;
  readonly outputSide?: 'left' | 'right' | undefined;
  /** The records of the output side that meet none of the other. */
  readonly invert?: true | undefined;
  /** JSON. */
  readonly colocate?: string | undefined;
}

const COLOCATE_EXAMPLE = '{"left":{"upstream":1000},"right":"exact"}';

export function operatorOf(name: string): Operator {
  const reading = readOperatorName(name);
  if (reading.kind === 'operator') return reading.operator;
  if (reading.kind === 'ambiguous') throw new CliError('USAGE', reading.message);
  const message = `"${name}" is no operator.${reading.hint} There are ${operatorNames().join(', ')}.`;
  throw new CliError('USAGE', message);
}

/** Read by the compiler, as the one combine of a plan, so that both take the same and refuse with the same words. */
export function colocateOf(operator: Operator, options: ColocateFlags, output: Output): Colocate | undefined {
  const { window, upstream, downstream, strand, operation, outputSide, invert } = options;
  if (window !== undefined && (upstream ?? downstream) !== undefined) {
    throw new CliError('USAGE', '--window is --upstream and --downstream in one; give it or them');
  }
  const colocate =
    options.colocate === undefined ? undefined : readJsonWord('--colocate', options.colocate, COLOCATE_EXAMPLE);
  const around = { upstream: upstream ?? window, downstream: downstream ?? window };
  const flags = { ...around, strand, operation, output: outputSide, invert, colocate };
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  if (operator !== 'COLOCATE' && given.length > 0) {
    const flag = window === undefined ? given[0]![0] : 'window';
    throw new CliError(
      'USAGE',
      `--${flag} is for COLOCATE; ${operator} takes no window and no strand rule. Leave it out.`,
    );
  }
  const node = { operator, left: { task: 'left' }, right: { task: 'right' }, ...Object.fromEntries(given) };
  const compiled = compilePlan({ goal: 'combine', plan: node });
  for (const { severity, path, message } of compiled.ok ? compiled.warnings : []) {
    if (severity === 'warning') output.note(`${output.paint('yellow', 'warning')} ${flagOf(path)}: ${message}`);
  }
  if (compiled.ok) return compiled.plan.combines[0]!.colocate;
  const issues: readonly PlanIssue[] = compiled.issues.map((issue) => ({ ...issue, path: flagOf(issue.path) }));
  if (output.format === 'text') for (const { path, message } of issues) output.note(`${path}: ${message}`);
  const [first] = issues;
  throw new CliError('USAGE', `the parameters of COLOCATE do not fit: ${first!.path}: ${first!.message}`, { issues });
}

/** A path in the plan that was made of the flags, as the flag and the place in it. */
function flagOf(path: string): string {
  return path.replace(/^\$\.plan\.(\w+)/, '--$1');
}
