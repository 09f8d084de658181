/** A case: a plan, or another task, that every engine is measured on in the same way. */

import type { Cannot, Contender, Reply, Went } from '../contender.ts';
import type { Shape } from '../shapes.ts';

/** How a case went with one engine in one round. */
export interface Measured {
  readonly ms: number;
  /** The engine's smallest run, right after it. */
  readonly emptyMs?: number;
  readonly facts?: Readonly<Record<string, number>>;
}

export interface Case {
  readonly name: string;
  /** The unit in which it is told, such as `ms a node`, and the milliseconds of one. */
  readonly unit: string;
  readonly per: number;
  /** `warm`: each round after one that warms up. `cold`: each round. `once`: one round, when large cases are asked for. */
  readonly rounds: 'warm' | 'cold' | 'once';
  measure(contender: Contender): Promise<Measured | Cannot>;
}

/** Plans of nodes that do nothing are told by node, those of naps by their slowest way through. */
export function planCase(shape: Shape, name = shape.name): Case {
  const { criticalPath, inputs } = shape;
  const told =
    criticalPath > 0
      ? { unit: 'times its critical path', per: criticalPath }
      : { unit: 'ms a node', per: inputs.length };
  return {
    name,
    ...told,
    rounds: 'warm',
    async measure(contender) {
      const went = await contender.ask({ does: 'plan', shape });
      if ('cannot' in went) return went;
      checkPlan(shape, went, contender);
      return besideEmpty(went, contender);
    },
  };
}

/** @throws Error where a plan came back before all of it was done */
export function checkPlan({ name, inputs }: Shape, { ran }: Went, contender: Contender): void {
  if (ran === inputs.length) return;
  throw new Error(`${contender.name}: ${ran} of ${inputs.length} nodes ran of the ${name}`);
}

export async function besideEmpty({ ms, facts }: Went, contender: Contender): Promise<Measured> {
  const { ms: emptyMs } = done(await contender.ask({ does: 'empty' }));
  return { ms, emptyMs, ...(facts !== undefined && { facts }) };
}

/** @throws Error for a request that every engine can do */
export function done(reply: Reply): Went {
  if ('cannot' in reply) throw new Error(reply.cannot);
  return reply;
}
