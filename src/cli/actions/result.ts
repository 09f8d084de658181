/** `planwright result`: the result of a run or of one of its nodes, from the result store. */

import type { RunHandle } from '../../client/index.ts';
import type { Result } from '../../results/index.ts';
import type { NodeView, ResultHandle } from '../../contract/index.ts';
import type { GlobalOptions } from '../act.ts';
import { CliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { withRun } from './connect.ts';
import { errorOfEnd } from './end-report.ts';
import { openStoreDir, type ProjectOptions } from './open-project.ts';
import { readStored, resultLines, resultRecord, resultText } from './stored-result.ts';
import { startWait, timeLimit } from './wait.ts';

export interface ResultOptions extends ProjectOptions {
  readonly node?: string;
  readonly timeout?: string;
}

export async function result(
  options: ResultOptions & GlobalOptions,
  output: Output,
  workflowId: string,
): Promise<number> {
  const limit = timeLimit(options);
  const storeDir = await openStoreDir(options);
  return withRun(options, { storeDir, workflowId }, async (run, session) => {
    const wait = startWait(
      limit,
      `the run goes on; come back with \`planwright result ${workflowId}${session.flags}\``,
    );
    try {
      const handle =
        options.node === undefined ? await ofRun(run, wait.signal) : await ofNode(run, options.node, wait.signal);
      printResult(await readStored(run, handle, session), output);
      return exitCode('done');
    } finally {
      wait.end();
    }
  });
}

function printResult(stored: Result, output: Output): void {
  output.print(
    resultRecord(stored),
    () => resultText(stored),
    () => resultLines(stored),
  );
}

async function ofRun(run: RunHandle, signal: AbortSignal): Promise<ResultHandle> {
  const end = await run.end(signal);
  const error = errorOfEnd(run.workflowId, end);
  if (error !== undefined) throw error;
  const handle = end.how === 'completed' ? end.result.result : undefined;
  if (handle === undefined) throw new CliError('NO_RESULT', `run ${run.workflowId} ended without a result`);
  return handle;
}

async function ofNode(run: RunHandle, id: string, signal: AbortSignal): Promise<ResultHandle> {
  const now = await findNode(run, id);
  if (now.result !== undefined) return now.result;
  // An uncertain node may still be settled.
  if (['pending', 'running', 'waiting', 'uncertain'].includes(now.status)) await run.end(signal);
  const then = await findNode(run, id);
  if (then.result !== undefined) return then.result;
  const why =
    then.failure?.message ?? (then.cause === undefined ? 'the run ended before it' : `it needs ${then.cause}`);
  throw new CliError('NO_RESULT', `${id} of run ${run.workflowId} has no result, it is ${then.status}: ${why}`, {
    node: then,
  });
}

async function findNode(run: RunHandle, id: string): Promise<NodeView> {
  let last = '';
  for await (const node of run.nodes()) {
    if (node.id === id) return node;
    last = node.id;
  }
  const known = last === '' ? 'its plan is not compiled yet' : `it has node_1 to ${last}`;
  throw new CliError('NO_NODE', `run ${run.workflowId} has no node ${id}; ${known}`);
}
