/** `planwright compile`: offline, and without a project unless one is named. */

import type { CompileOptions as PlanOptions } from '../../plan/index.ts';
import type { Output } from '../../terminal/index.ts';
import { visible } from '../../text/index.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import { compileFile } from '../reading/index.ts';
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
  const { plan, warnings, executors } = await compileFile(file, output, await planOptionsOf(options));
  output.print(
    { ok: true, plan, warnings, ...(executors !== undefined && { executors }) },
    () =>
      `${visible(plan.goal)}\n\n${planText(plan, { ...(executors && { executors }) }, { columns: output.columns })}`,
  );
  return exitCode('done');
}

async function planOptionsOf(options: CompileOptions): Promise<PlanOptions> {
  const { format, agents, capabilities, contextKeys, maxDepth: depth, maxNodes: nodes, config } = options;
  return {
    format,
    ...(agents !== undefined && { agents }),
    ...(capabilities !== undefined && { capabilities }),
    ...(contextKeys !== undefined && { contextKeys }),
    limits: { ...(depth !== undefined && { depth }), ...(nodes !== undefined && { nodes }) },
    ...(config !== undefined && { catalogue: (await requireProject({ config }, 'compile')).registry }),
  };
}
