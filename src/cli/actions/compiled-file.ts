/** The plan of a file that a command was given. */

import { compilePlan, type Catalogue, type CompiledPlan, type CompileResult } from '../../plan/index.ts';
import type { Output } from '../output.ts';
import { invalidPlan, noteIssues } from './plan-issues.ts';
import { readPlan, syntaxOf } from './read-plan.ts';

export interface CompiledFile {
  readonly plan: CompiledPlan;
  readonly executors?: Extract<CompileResult, { ok: true }>['executors'];
}

/** @throws CliError PLAN_INVALID, with the issues on stderr, and what reading the file throws. */
export async function compileFile(file: string, output: Output, catalogue?: Catalogue): Promise<CompiledFile> {
  const compiled = compilePlan(await readPlan(file), {
    ...syntaxOf(file),
    ...(catalogue !== undefined && { catalogue }),
  });
  if (!compiled.ok) {
    noteIssues(compiled.issues, output);
    throw invalidPlan(compiled.issues);
  }
  const { plan, executors, warnings } = compiled;
  noteIssues(warnings, output);
  return { plan, ...(executors !== undefined && { executors }) };
}
