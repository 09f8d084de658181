/** `planwright compile`: offline, and without a project unless one is named. */

import { compilePlan, renderTree, type CompileOptions as PlanOptions, type CompiledPlan } from '../../plan/index.ts';
import { visible } from '../../text/index.ts';
import type { GlobalOptions } from '../act.ts';
import { exitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { invalidPlan, noteIssues } from './plan-issues.ts';
import { readPlan, syntaxOf } from './read-plan.ts';
import { choiceOption, countOption, namesOption } from './values.ts';

export interface CompileOptions {
  readonly format: string;
  readonly agents?: string;
  readonly capabilities?: string;
  readonly contextKeys?: string;
  readonly maxDepth?: string;
  readonly maxNodes?: string;
  readonly config?: string;
}

export async function compile(options: CompileOptions & GlobalOptions, output: Output, file: string): Promise<number> {
  const planOptions = await planOptionsOf(options);
  const compiled = compilePlan(await readPlan(file), { ...planOptions, ...syntaxOf(file) });
  if (!compiled.ok) {
    noteIssues(compiled.issues, output);
    throw invalidPlan(compiled.issues);
  }
  const { plan, warnings, executors } = compiled;
  noteIssues(warnings, output);
  output.print({ ok: true, plan, warnings, ...(executors !== undefined && { executors }) }, () => textOf(plan));
  return exitCode('done');
}

async function planOptionsOf(options: CompileOptions): Promise<PlanOptions> {
  const format = choiceOption('--format', options.format, ['auto', 'tree', 'steps', 'xml']);
  const agents = namesOption(options.agents);
  const capabilities = namesOption(options.capabilities);
  const depth = countOption('--max-depth', options.maxDepth);
  const nodes = countOption('--max-nodes', options.maxNodes);
  const contextKeys = namesOption(options.contextKeys);
  return {
    ...(format !== undefined && { format }),
    ...(agents !== undefined && { agents }),
    ...(capabilities !== undefined && { capabilities }),
    ...(contextKeys !== undefined && { contextKeys }),
    limits: { ...(depth !== undefined && { depth }), ...(nodes !== undefined && { nodes }) },
    ...(options.config !== undefined && { catalogue: await catalogueOf(options.config) }),
  };
}

async function catalogueOf(config: string) {
  const { requireProject } = await import('./open-project.ts');
  return (await requireProject({ config }, 'compile')).registry;
}

function textOf(plan: CompiledPlan): string {
  return `${visible(plan.goal)}\n\n${renderTree(plan).trimEnd()}\n\n${digestLine(plan)}`;
}

export function digestLine({ digest, tasks, combines }: CompiledPlan): string {
  const counts = `${counted(tasks.length, 'task')}, ${counted(combines.length, 'combine')}`;
  return `digest ${digest}, ${counted(tasks.length + combines.length, 'node')}: ${counts}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
