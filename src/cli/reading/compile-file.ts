/** The plan of a file that a command was given. */

import { compilePlan, type Catalogue, type CompileOptions, type CompileResult } from '../../language/plan/index.ts';
import type { Output } from '../terminal/index.ts';
import { visible } from '../../language/text/index.ts';
import { invalidPlan } from '../cli-error.ts';
import { noteIssues } from '../showing/index.ts';
import { readPlan, syntaxOf } from './read-plan.ts';

export type CompiledFile = Extract<CompileResult, { ok: true }>;

/** What was seen where the files of a plan were looked at; `refusing` is a catalogue that adds the problems. */
interface Seen {
  readonly refusing?: Catalogue | undefined;
  readonly warnings?: Readonly<Record<number, string>> | undefined;
}

/** Its warnings go to stderr, and those of `look`, which is given a plan that compiles. @throws CliError PLAN_INVALID, with the issues on stderr, and as `readPlan`. */
export async function compileFile(
  file: string,
  output: Output,
  options: CompileOptions = {},
  look?: (compiled: CompiledFile) => Promise<Seen>,
): Promise<CompiledFile> {
  const document = await readPlan(file);
  const read = { ...syntaxOf(file), ...options };
  let compiled = compilePlan(document, read);
  if (compiled.ok && look !== undefined) {
    const { refusing, warnings = {} } = await look(compiled);
    for (const warning of Object.values(warnings)) output.note(`warning: ${visible(warning)}`);
    if (refusing !== undefined) compiled = compilePlan(document, { ...read, catalogue: refusing });
  }
  noteIssues(compiled.ok ? compiled.warnings : compiled.issues, output);
  if (compiled.ok) return compiled;
  throw invalidPlan(compiled.issues);
}
