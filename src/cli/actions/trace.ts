/** `planwright trace`: what happened to a run and who said what. As JSON lines it is the run's audit. */

import { folderStoreDir, withRun } from '../../project/index.ts';
import type { TraceEntry } from '../../contract/index.ts';
import type { Output } from '../../terminal/index.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import { table } from '../showing/index.ts';

export interface TraceOptions {
  readonly after?: number | undefined;
}

export async function trace(
  options: TraceOptions & GlobalOptions,
  output: Output,
  workflowId: string,
): Promise<number> {
  const { after = 0 } = options;
  return withRun(workflowId, { storeDir: await folderStoreDir() }, async ({ run }) => {
    const entries: TraceEntry[] = [];
    for await (const entry of run.trace(after)) entries.push(entry);
    const { dropped } = await run.tracePage({ after: entries.at(-1)?.seq ?? after, limit: 1 });
    output.print(
      { ok: true, workflowId, entries, dropped },
      () => table(entries.map(({ seq, at, what, text, said }) => [`${seq}`, at, what, `${text}${mark(said)}`])),
      () => entries,
    );
    if (dropped > 0) {
      output.note(`note: ${dropped} more entries about nodes, questions and refused messages were not kept by the run`);
    }
    return exitCode('done');
  });
}

function mark(said: TraceEntry['said'] = {}): string {
  const { by, role, question, verified } = said;
  const told = [
    ...(typeof by === 'string' ? [`${by}${typeof role === 'string' ? ` as ${role}` : ''}`] : []),
    ...(typeof question === 'string' ? [question] : []),
    ...(verified === false ? ['unverified'] : []),
  ];
  return told.length === 0 ? '' : ` (${told.join(', ')})`;
}
