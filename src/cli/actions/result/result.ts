/** `planwright result`: the result of a run or of one of its nodes, from the result store. */

import { nodeIdOf, type RunHandle } from '../../../edge/client/index.ts';
import { followRun, waitForEnd, type FollowOptions } from '../../../edge/client/follow/index.ts';
import { storeDirOf, withRun, type ProjectOptions } from '../../../edge/project/index.ts';
import type { Result } from '../../../wire/results/index.ts';
import type { NodeView, ResultHandle } from '../../../wire/contract/index.ts';
import type { Output } from '../../terminal/index.ts';
import { asTyped } from '../../as-typed.ts';
import { CliError } from '../../cli-error.ts';
import { exitCode } from '../../exit-codes.ts';
import type { GlobalOptions } from '../../global-options.ts';
import type { Duration } from '../../options/index.ts';
import {
  checkShape,
  connectionFlags,
  errorOfEnd,
  readStored,
  resultLines,
  resultRecord,
  resultText,
  setFile,
  type FileShape,
} from '../../showing/index.ts';
import { startWait, timeLimit } from '../../wait.ts';
import { tellWaiting } from './tell-waiting.ts';

export interface ResultOptions extends ProjectOptions {
  readonly node?: string | undefined;
  readonly format?: FileShape | undefined;
  readonly timeout?: Duration | undefined;
}

/** An uncertain node may still be settled. */
const UNENDED: readonly NodeView['status'][] = ['pending', 'running', 'waiting', 'uncertain'];

export async function result(
  options: ResultOptions & GlobalOptions,
  output: Output,
  workflowId: string,
): Promise<number> {
  const { node, format } = options;
  checkShape(format, output);
  const limit = timeLimit(options);
  const flags = connectionFlags(options);
  return withRun(workflowId, { storeDir: await storeDirOf(options) }, async (session) => {
    const wait = startWait(limit, `the run goes on; come back with \`${asTyped(`result ${workflowId}${flags}`)}\``);
    const { run } = session;
    const follow = { signal: wait.signal, server: session };
    try {
      const found = node === undefined ? ofRun(run, wait.signal) : ofNode(run, node, follow);
      const handle = await tellWaiting(run, { flags, output, server: session }, found);
      printResult(await readStored(session, handle), format, output);
      return exitCode('done');
    } finally {
      wait.end();
    }
  });
}

function printResult(stored: Result, format: FileShape | undefined, output: Output): void {
  if (format !== undefined && stored.kind !== 'set') {
    throw new CliError('USAGE', `--format ${format} is for sets, and the result is a ${stored.kind}; leave it out`);
  }
  output.print(
    resultRecord(stored),
    () => (format !== undefined && stored.kind === 'set' ? setFile(stored.set, format) : resultText(stored)),
    () => resultLines(stored),
  );
}

async function ofRun(run: RunHandle, signal: AbortSignal): Promise<ResultHandle> {
  const end = await waitForEnd(run, signal);
  const error = errorOfEnd(run.workflowId, end);
  if (error !== undefined) throw error;
  const handle = end.how === 'completed' ? end.result.result : undefined;
  if (handle === undefined) throw new CliError('NO_RESULT', `run ${run.workflowId} ended without a result`);
  return handle;
}

async function ofNode(run: RunHandle, name: string, follow: FollowOptions): Promise<ResultHandle> {
  const now = await findNode(run, name);
  const { id } = now;
  if (now.result !== undefined) return now.result;
  if (UNENDED.includes(now.status)) await untilEnded(run, id, follow);
  const then = await findNode(run, id);
  if (then.result !== undefined) return then.result;
  const why =
    then.failure?.message ?? (then.cause === undefined ? 'the run ended before it' : `it needs ${then.cause}`);
  throw new CliError('NO_RESULT', `${id} of run ${run.workflowId} has no result, it is ${then.status}: ${why}`, {
    node: then,
  });
}

async function untilEnded(run: RunHandle, id: string, follow: FollowOptions): Promise<void> {
  for await (const { nodes } of followRun(run, follow)) {
    const node = nodes.find((one) => one.id === id);
    if (node !== undefined && !UNENDED.includes(node.status)) return;
  }
}

async function findNode(run: RunHandle, name: string): Promise<NodeView> {
  const nodes: NodeView[] = [];
  for await (const node of run.nodes()) nodes.push(node);
  const found = nodes.find(({ id }) => id === name) ?? nodes.find(({ id }) => id === idOf(run, name, nodes));
  if (found !== undefined) return found;
  throw new CliError('NO_NODE', `run ${run.workflowId} has no node ${name}; its plan is not compiled yet`);
}

function idOf(run: RunHandle, name: string, nodes: readonly NodeView[]): string {
  try {
    return nodeIdOf(name, nodes);
  } catch (error) {
    throw new CliError('NO_NODE', `run ${run.workflowId}: ${(error as Error).message}`);
  }
}
