/** The plan of a file that a command was given. */

import { compilePlan, type CompileOptions, type CompileResult } from '../../plan/index.ts';
import type { Output } from '../../terminal/index.ts';
import { invalidPlan } from '../cli-error.ts';
import { noteIssues } from '../showing/index.ts';
import { readPlan, syntaxOf } from './read-plan.ts';

export type CompiledFile = Extract<CompileResult, { ok: true }>;

/** Its warnings go to stderr. @throws CliError PLAN_INVALID, with the issues on stderr, and as `readPlan`. */
export async function compileFile(file: string, output: Output, options: CompileOptions = {}): Promise<CompiledFile> {
  const compiled = compilePlan(await readPlan(file), { ...syntaxOf(file), ...options });
  noteIssues(compiled.ok ? compiled.warnings : compiled.issues, output);
  if (compiled.ok) return compiled;
  throw invalidPlan(compiled.issues);
}
