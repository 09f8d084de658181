import { decodePlan, type CompiledPlan } from '../plan/index.ts';
import { counted, oneLine, cutCharacters } from '../plan/text/index.ts';
import { isRecord, type NodeValue, type NodeView, PLAN_LINE_CHARACTERS, type RunStatus } from '../protocol/index.ts';
import { inParallel, type Result, type ResultStore } from '../store/index.ts';
import { passingCode } from './client-error.ts';
import type { RunHandle } from './run-handle.ts';

/** Limits: bytes of a value that describes a written file, bytes of other values, and concurrent reads. */
const MAX_WRITTEN_BYTES = 16_384;
const MAX_VALUE_BYTES = 256;
const AT_ONCE = 200;
const MAX_VALUE = 60;

/** Describes a value about a written file of records, such as `2 records -> result.bed`; undefined for others. */
function writtenText(result: Result): string | undefined {
  if (result.kind !== 'value' || !isRecord(result.value)) return undefined;
  const { path, records, sha256 } = result.value;
  if (typeof path !== 'string' || typeof records !== 'number' || typeof sha256 !== 'string') return undefined;
  return `${counted(records, 'record')} -> ${oneLine(path)}`;
}

/** The value of a node, if it is short or describes a written file. Only effects write files. */
export async function valueOf(
  run: Pick<RunHandle, 'readResult'>,
  { result, effect = 'read' }: Pick<NodeView, 'result' | 'effect'>,
): Promise<NodeValue | undefined> {
  if (result?.kind !== 'value' || result.bytes > (effect === 'read' ? MAX_VALUE_BYTES : MAX_WRITTEN_BYTES))
    return undefined;
  const stored = await run.readResult(result.ref).catch(() => undefined);
  if (stored?.kind !== 'value') return undefined;
  const written = writtenText(stored);
  if (written !== undefined) return { written };
  return JSON.stringify(stored.value).length <= MAX_VALUE ? { value: stored.value } : undefined;
}

export async function readValues(
  run: Pick<RunHandle, 'readResult'>,
  nodes: readonly NodeView[],
): Promise<ReadonlyMap<string, NodeValue>> {
  const read = async (node: NodeView) => [node.id, (await valueOf(run, node)) ?? {}] as const;
  return new Map(await inParallel(AT_ONCE, nodes, read));
}

/** The open plan, if the store has it. @returns undefined if it cannot be read now, or has changed since */
export async function readCompiled(
  run: Pick<RunHandle, 'view'>,
  store: Pick<ResultStore, 'get'>,
  revision: number,
): Promise<{ readonly compiled?: CompiledPlan } | undefined> {
  try {
    const { plan } = await run.view(['plan']);
    if (plan.revision !== revision) return undefined;
    const decoded = decodePlan(await store.get(plan.ref));
    return decoded.ok ? { compiled: decoded.plan } : {};
  } catch (error) {
    return passingCode(error) === undefined ? {} : undefined;
  }
}

/** The current lines, from the server during planning and from the nodes later. The same list if nothing changed. */
export function plannerLines(run: Pick<RunHandle, 'view'>) {
  const written = { keys: new Set<string>(), tasks: new Set<string>() };
  let lines: readonly string[] = [];
  let known: readonly NodeView[] = [];
  return async ({ planning }: RunStatus, nodes: readonly NodeView[]): Promise<readonly string[]> => {
    const isNew = nodes !== known;
    known = nodes;
    const now = planning !== undefined ? await writtenNow() : isNew ? unwritten(nodes) : [];
    if (planning === undefined) for (const set of Object.values(written)) set.clear();
    if (JSON.stringify(now) !== JSON.stringify(lines)) lines = now;
    return lines;
  };

  async function writtenNow(): Promise<readonly string[]> {
    const { feedback } = await run.view(['feedback']);
    for (const { key, task } of feedback) {
      if (key !== undefined) written.keys.add(key);
      if (task !== undefined) written.tasks.add(task);
    }
    return feedback.map(({ text }) => text);
  }

  /** Lines for nodes that have none; empty if no node has a line, since the lines are then about another plan. */
  function unwritten(nodes: readonly NodeView[]): readonly string[] {
    const rest = nodes.filter(({ key, summary }) =>
      key === undefined
        ? !written.tasks.has(cutCharacters(summary, PLAN_LINE_CHARACTERS))
        : !written.keys.has(cutCharacters(key, PLAN_LINE_CHARACTERS)),
    );
    if (rest.length === nodes.length) return [];
    return rest.map(({ id, key = id, summary, executor }) => `${key}: ${summary} (${executor.split('@')[0]})`);
  }
}
