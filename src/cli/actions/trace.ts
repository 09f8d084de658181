/** `planwright trace`: what happened to a run and who said what. As JSON lines it is the run's audit. */

import { folderStoreDir, storeDirOf, withRun, type ProjectOptions } from '../../project/index.ts';
import type { TraceEntry } from '../../contract/index.ts';
import type { Output } from '../../terminal/index.ts';
import { CliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import { entryTable, roundLines, roundTable } from '../showing/index.ts';

export interface TraceOptions extends ProjectOptions {
  readonly after?: number | undefined;
  readonly rounds?: true | undefined;
  readonly last?: number | undefined;
  readonly format: 'text' | 'markdown';
}

export async function trace(
  options: TraceOptions & GlobalOptions,
  output: Output,
  workflowId: string,
): Promise<number> {
  if (options.rounds === true) return traceRounds(options, output, workflowId);
  if (options.last !== undefined)
    throw new CliError('USAGE', '--last goes with --rounds; of the entries, --after tells where to begin');
  const { after = 0 } = options;
  return withRun(workflowId, { storeDir: await folderStoreDir() }, async ({ run }) => {
    const entries: TraceEntry[] = [];
    for await (const entry of run.trace(after)) entries.push(entry);
    const { dropped } = await run.tracePage({ after: entries.at(-1)?.seq ?? after, limit: 1 });
    output.print(
      { ok: true, workflowId, entries, dropped },
      () =>
        entryTable(
          entries.map((entry) => ({ ...entry, text: `${entry.text}${mark(entry.said)}` })),
          { columns: output.lineColumns },
          true,
        ),
      () => entries,
    );
    if (dropped > 0) {
      output.note(`note: ${dropped} more entries about nodes, questions and refused messages were not kept by the run`);
    }
    return exitCode('done');
  });
}

/** The records are in the result store, which this program and the worker share. */
async function traceRounds(options: TraceOptions & GlobalOptions, output: Output, workflowId: string): Promise<number> {
  const { last, format } = options;
  return withRun(workflowId, { storeDir: await storeDirOf(options) }, async ({ run }) => {
    const { loop } = await run.status();
    if (loop === undefined) {
      throw new CliError(
        'USAGE',
        `run ${workflowId} follows a plan and has no rounds; see: planwright trace ${workflowId}`,
      );
    }
    const rounds = await run.rounds(last === undefined ? {} : { last });
    output.print(
      { ok: true, workflowId, round: loop.round, maxRounds: loop.maxRounds, rounds },
      () => (format === 'markdown' ? roundTable(rounds) : roundLines(rounds)),
      () => rounds,
    );
    return exitCode('done');
  });
}

function mark(said: TraceEntry['said']): string {
  if (said === undefined) return '';
  const { by, role } = said;
  const told = [
    ...(by === undefined ? [] : [`${by}${role === undefined ? '' : ` as ${role}`}`]),
    ...('question' in said && said.question !== undefined ? [said.question] : []),
    ...('verified' in said && !said.verified ? ['unverified'] : []),
  ];
  return told.length === 0 ? '' : ` (${told.join(', ')})`;
}
