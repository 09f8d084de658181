import { setTimeout as rest } from 'node:timers/promises';
import pLimit from 'p-limit';
import { nodeIdOf, roundOfStep, type RunHandle } from '../client/index.ts';
import type { RunSession } from '../config/project/index.ts';
import { given, type LoopView, type NodeView, type ResultHandle } from '../protocol/index.ts';
import { readResult, setText, StoreError, toIdLines, toResultJson, type Result } from '../store/index.ts';
import { errorOfEnd } from './ending.ts';
import { OperationError, wrongUsage } from './operation-error.ts';
import { choiceField, IN_PROJECT, operation, textField } from './operation.ts';
import type { Plans } from './plans.ts';
import { endFacts } from './run-facts.ts';
import { readOpenPlan } from './open-plan.ts';
import { contextRefs } from '../plan/index.ts';
import { grouped, listNames, quote, quoteForShell } from '../plan/text/index.ts';

/**
 * Prints a set as one id per line, or as a file (docs/files.md). JSON:
 * `{"ok":true,"kind":"set","recordType","count","source"?:{"path","sha256","bytes","notes"},"records":[{"id","sequence"?,"start"?,"stop"?,"strand"?,"matches"?}]}`,
 * `{"ok":true,"kind":"value","value"}` or `{"ok":true,"kind":"text","text"}`; jsonl of a set is a record a line. If a
 * run was rejected or expired after some of its nodes ran, `error.results` has the handles of their results.
 */
export const result = operation({
  command: {
    words: 'result <workflow-id>',
    lines: ['records'],
    example: 'result plan-1 --format bed > result.bed',
    place: [...IN_PROJECT, 'timeout'],
    shows: { text: 'text', value: 'json' },
  },
  host: { fields: ['workflowId', 'node', 'format'] },
  does: 'Wait for a run or one of its nodes, and print its result.',
  input: (z) =>
    z.object({
      workflowId: z.string().describe('the run'),
      node: textField(
        z,
        'the result of this node, by id, by context key or, of a loop, as step_3, as soon as it has one',
      ),
      context: textField(z, 'the whole value of this name of external context, which the open plan is bound to'),
      format: choiceField(
        z,
        ['json', 'ids', 'bed', 'gff3', 'tsv'],
        'of a set: json, ids (one a line), bed, gff3 or tsv',
      ),
    }),
  async run(plans, { workflowId, node, context, format = 'json' }, { signal = NEVER, most } = {}) {
    const session = await plans.run(workflowId);
    if (context !== undefined && node !== undefined)
      throw wrongUsage('a value of context is of the whole plan; leave the node or the context out');
    const found: Pick<ResultHandle, 'ref'> & Partial<ResultHandle> =
      context !== undefined
        ? await ofContext(session, context)
        : node === undefined
          ? await ofRun(session.run, signal, plans)
          : await ofNode(session.run, node, signal);
    /**
     * Reads a context value to learn its size, since the run has only its reference. If the value is missing, a later
     * read says so.
     */
    const get = () => session.store.get(found.ref).catch(() => undefined);
    const value = found.bytes === undefined && most ? await largeOnes(get) : undefined;
    const bytes = found.bytes ?? value?.length ?? 0;
    if (most !== undefined && (bytes > most || most === 0)) {
      const named = Object.entries(given({ node, context, format }));
      const flags = named.map(([name, one]) => ` --${name} ${quoteForShell(one)}`);
      const command = plans.typed(`result ${quoteForShell(workflowId)}${flags.join('')}`);
      const message = `it has ${grouped(bytes)} bytes, and at most ${grouped(most)} are read here; type \`${command}\``;
      throw new OperationError('REFUSED', message, { large: { ...found, bytes } });
    }
    const stored = await readStored(session, { ...found, bytes }, value);
    if (stored.kind === 'set') {
      if (format === 'json') return toResultJson(stored.set);
      if (format === 'ids') return { kind: 'set' as const, text: toIdLines(stored.set) };
      const written = setText(stored.set, format);
      if (!written.ok) throw new OperationError('INPUT_INVALID', `--format ${format}: ${written.message}`);
      return { kind: 'set' as const, text: [...written.lines].join('') };
    }
    if (format === 'json' || format === 'ids') return stored;
    throw wrongUsage(`--format ${format} is for sets, and the result is a ${stored.kind}; leave it out`);
  },
});

const NEVER = new AbortController().signal;
/** Results above this size, in bytes, are read one at a time, since parsing them blocks the process. */
const LARGE = 2 ** 20;
const largeOnes = pLimit(1);
/** Pause in ms between two large results, so that the process can answer other requests. */
const REST_MS = 10;

/**
 * Reads a result.
 * @param value the bytes of the result, if the caller has them
 * @throws OperationError NOT_IN_STORE that names the store
 */
export async function readStored(
  { run, store }: Pick<RunSession, 'run' | 'store'>,
  { ref, bytes = 0 }: Pick<ResultHandle, 'ref'> & Partial<Pick<ResultHandle, 'bytes'>>,
  value?: Uint8Array,
): Promise<Result> {
  const here = { place: store.place, get: async () => value! };
  const read = () => (value === undefined ? run.readResult(ref) : readResult(here, ref));
  try {
    const readRest = async () => rest(REST_MS, await rest(REST_MS).then(read));
    return await (bytes > LARGE ? largeOnes(readRest) : read());
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'not-found') throw error;
    const message =
      `the result store ${store.place} does not have ${ref}, a result of run ${run.workflowId}: ` +
      'this command and the worker do not share a store. Name the one of the worker with --store DIR, --config FILE or PLANWRIGHT_STORE';
    throw new OperationError('NOT_IN_STORE', message, { store: store.place, ref });
  }
}

/** States of a node that may still get a result. An uncertain node may be resolved. */
const UNENDED: readonly NodeView['status'][] = ['pending', 'running', 'waiting', 'uncertain'];

async function ofRun(run: RunHandle, signal: AbortSignal, { typed }: Plans): Promise<ResultHandle> {
  const end = await run.end(signal);
  const error = errorOfEnd(run.workflowId, end, typed);
  if (error !== undefined) throw error;
  return endFacts(end).result!;
}

async function ofContext({ run, store }: RunSession, name: string): Promise<Pick<ResultHandle, 'ref'>> {
  const refs = contextRefs(await readOpenPlan(store, (await run.view(['plan'])).plan));
  if (Object.hasOwn(refs, name)) return { ref: refs[name]! };
  const names = listNames(Object.keys(refs));
  const message = `the open plan of run ${run.workflowId} reads no context ${quote(name)}; it reads ${names === '' ? 'none' : names}`;
  throw new OperationError('NO_RESULT', message);
}

async function ofNode(run: RunHandle, name: string, signal: AbortSignal): Promise<ResultHandle> {
  const { nodes, status } = await run.view(['nodes', 'status']);
  const isThere = nodes.some(({ id, key }) => id === name || key === name);
  const earlier = isThere ? undefined : await ofEarlierStep(run, name, status.loop);
  if (earlier !== undefined) return earlier;
  const now = findNode(run, name, nodes);
  const { id } = now;
  if (now.result !== undefined) return now.result;
  if (UNENDED.includes(now.status)) await untilEnded(run, id, signal);
  const then = findNode(run, id, (await run.view(['nodes'])).nodes);
  if (then.result !== undefined) return then.result;
  const why =
    then.failure?.message ?? (then.cause === undefined ? 'the run ended before it' : `it needs ${then.cause}`);
  const message = `${id} of run ${run.workflowId} has no result, it is ${then.status}: ${why}`;
  throw new OperationError('NO_RESULT', message, { node: then });
}

/**
 * The result of an earlier step of a loop, from the records of the loop's rounds. The open plan has only the last step.
 */
async function ofEarlierStep(run: RunHandle, name: string, loop?: LoopView): Promise<ResultHandle | undefined> {
  const { rounds } = loop?.notes === undefined ? { rounds: [] } : await run.view(['rounds'], { notes: loop.notes });
  for (const { happened } of rounds.toReversed()) {
    const { results = {}, round } = happened ?? {};
    if (Object.hasOwn(results, name)) return results[name];
    if (round !== undefined && roundOfStep(name) === round && results['result'] !== undefined) return results['result'];
  }
  return undefined;
}

async function untilEnded(run: RunHandle, id: string, signal: AbortSignal): Promise<void> {
  for await (const { nodes } of run.follow({ signal })) {
    const node = nodes.find((one) => one.id === id);
    if (node !== undefined && !UNENDED.includes(node.status)) return;
  }
}

/** The node with this id, context key or step. @throws OperationError NO_NODE that lists the nodes */
export function findNode({ workflowId }: RunHandle, name: string, nodes: readonly NodeView[]): NodeView {
  if (nodes.length === 0) {
    const message = `run ${workflowId} has no node ${name}: it has no plan; \`status\` says how it stands`;
    throw new OperationError('NO_NODE', message);
  }
  try {
    const id = nodeIdOf(name, nodes);
    return nodes.find((one) => one.id === id)!;
  } catch (error) {
    throw new OperationError('NO_NODE', `run ${workflowId}: ${(error as Error).message}`);
  }
}
