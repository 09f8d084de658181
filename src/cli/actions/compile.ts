/** `planwright compile`: offline, and without a project unless one is named. */

import type { CapabilityRegistry } from '../../builtin/index.ts';
import type { Catalogue, CompileOptions as PlanOptions } from '../../language/plan/index.ts';
import type { Output } from '../terminal/index.ts';
import { visible } from '../../language/text/index.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import { compileFile, type CompiledFile } from '../reading/index.ts';
import { requireProject } from '../require-project.ts';
import { planText } from '../showing/index.ts';

export interface CompileOptions {
  readonly format: 'auto' | 'tree' | 'steps' | 'xml';
  readonly agents?: readonly string[] | undefined;
  readonly capabilities?: readonly string[] | undefined;
  readonly contextKeys?: readonly string[] | undefined;
  readonly maxDepth?: number | undefined;
  readonly maxNodes?: number | undefined;
  readonly config?: string | undefined;
}

export async function compile(options: CompileOptions & GlobalOptions, output: Output, file: string): Promise<number> {
  const { config } = options;
  const registry = config === undefined ? undefined : (await requireProject({ config }, 'compile')).registry;
  const planOptions = planOptionsOf(options, registry);
  const { plan, warnings, executors } = await compileFile(file, output, planOptions, registry && lookWith(registry));
  output.print(
    { ok: true, plan, warnings, ...(executors !== undefined && { executors }) },
    () =>
      `${visible(plan.goal)}\n\n${planText(plan, { ...(executors && { executors }) }, { columns: output.columns })}`,
  );
  return exitCode('done');
}

/** Looks at the files of a plan; loaded for a plan of a project alone. */
function lookWith(registry: CapabilityRegistry) {
  return async ({ plan, executors = {} }: CompiledFile) => {
    const { lookAtPlan } = await import('../../builtin/index.ts');
    return lookAtPlan(plan, executors, registry, new AbortController().signal);
  };
}

function planOptionsOf(options: CompileOptions, catalogue?: Catalogue): PlanOptions {
  const { format, agents, capabilities, contextKeys, maxDepth: depth, maxNodes: nodes } = options;
  return {
    format,
    ...(agents !== undefined && { agents }),
    ...(capabilities !== undefined && { capabilities }),
    ...(contextKeys !== undefined && { contextKeys }),
    limits: { ...(depth !== undefined && { depth }), ...(nodes !== undefined && { nodes }) },
    ...(catalogue !== undefined && { catalogue }),
  };
}
