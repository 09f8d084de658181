/** `planwright trace`: what happened to a run and who said what. As JSON lines it is the run's audit. */

import { asTyped } from '../as-typed.ts';
import { folderStoreDir, storeDirOf, withRun, type ProjectOptions } from '../../edge/project/index.ts';
import type { Begun, RunHandle } from '../../edge/client/index.ts';
import type { NodeView, TraceEntry } from '../../wire/contract/index.ts';
import type { Output } from '../terminal/index.ts';
import { CliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import {
  type Happened,
  type Work,
  begunText,
  entryTable,
  missingText,
  readWork,
  roundLines,
  roundTable,
  shellWord,
  workBy,
} from '../showing/index.ts';

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
    // The audit is what the run itself has noted.
    const { carried, missing } = output.format === 'jsonl' ? NONE : await carriedOut(run);
    const nodes = carried.map(({ node, work: one }) => ({ ...node, ...one }));
    output.print(
      { ok: true, workflowId, entries, dropped, nodes },
      () => entryTable(inOrder(entries, carried), { columns: output.lineColumns }, true),
      () => entries,
    );
    if (missing !== undefined) output.note(`note: ${missingText(missing)}`);
    if (dropped > 0) {
      output.note(`note: ${dropped} more entries about nodes, questions and refused messages were not kept by the run`);
    }
    return exitCode('done');
  });
}

interface CarriedOut {
  /** Nodes that a worker has had. */
  readonly carried: readonly { readonly node: NodeView; readonly work: Work }[];
  readonly missing?: NonNullable<Begun['missing']>;
}

const NONE: CarriedOut = { carried: [] };

/** The run notes only what went wrong with a node; who had it, and when, the server knows. */
async function carriedOut(run: RunHandle): Promise<CarriedOut> {
  const nodes: NodeView[] = [];
  for await (const node of run.nodes()) if (node.scheduledAt !== undefined) nodes.push(node);
  if (nodes.length === 0) return NONE;
  const told = await readWork(run, nodes, (await run.status()).revision);
  const work = workBy(told);
  const carried = nodes.flatMap((node) => {
    const one = work(node.id);
    return one.worker === undefined ? [] : [{ node, work: one }];
  });
  const { missing } = told.begun;
  return { carried, ...(missing !== undefined && { missing }) };
}

/** With each node where its last attempt began; of what came before the first entry that is told nothing is. */
function inOrder(entries: readonly TraceEntry[], carried: CarriedOut['carried']): readonly Happened[] {
  const [first] = entries;
  if (first === undefined) return [];
  const told = entries.map((entry): Happened => ({ ...entry, text: `${entry.text}${mark(entry.said)}` }));
  const begun = carried.flatMap(({ node, work }): Happened[] => {
    const { startedAt: at } = work;
    return at === undefined || at < first.at ? [] : [{ at, what: 'node', text: begunText(work, node) }];
  });
  return [...told, ...begun].toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/** The records are in the result store, which this program and the worker share. */
async function traceRounds(options: TraceOptions & GlobalOptions, output: Output, workflowId: string): Promise<number> {
  const { last, format } = options;
  return withRun(workflowId, { storeDir: await storeDirOf(options) }, async ({ run }) => {
    const { loop } = await run.status();
    if (loop === undefined) {
      throw new CliError(
        'USAGE',
        `run ${workflowId} follows a plan and has no rounds; see: ${asTyped(`trace ${shellWord(workflowId)}`)}`,
      );
    }
    const { notes } = loop;
    const rounds = notes === undefined ? [] : await run.rounds({ notes, ...(last !== undefined && { last }) });
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
