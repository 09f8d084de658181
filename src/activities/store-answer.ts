import { createSetBuilder } from '../plan/algebra/index.ts';
import { readAnswerSchema } from '../capabilities/index.ts';
import type { CapabilityRegistry } from '../capabilities/builtin/index.ts';
import { exactJson, type JsonValue } from '../plan/index.ts';
import { encodeResult, writeResult, type Result, type ResultStore } from '../store/index.ts';
import {
  describe,
  isDeeperThan,
  isRecord,
  VALUE_LEVELS,
  type AnswerReply,
  type AnswerRequest,
  type ResultKind,
} from '../protocol/index.ts';
import { cutCharacters } from '../plan/text/index.ts';
import { RunFailureError } from '../protocol/index.ts';
import type { Revision } from './revision.ts';
import { approvedExecutor } from './execute-node.ts';

/** @bound [approving] an answer as JSON @beyond the run rejects the answer as `wrong-answer` */
const MAX_ANSWER_BYTES = 256 * 1024;
const MAX_REASON = 2000;

/** Checks and stores an answer. Rejects a wrong value; throws only if no value could fit. */
export async function storeAnswer(
  { nodeId, value: sent, schema }: AnswerRequest,
  revision: Revision | undefined,
  registry: CapabilityRegistry,
  store: ResultStore,
): Promise<AnswerReply> {
  const kind = revision === undefined || nodeId === undefined ? 'value' : kindOf(revision, nodeId, registry);
  const fault = (value: JsonValue) =>
    sizeProblem(value) ?? (schema === undefined ? undefined : schemaProblem(value, schema));
  const problem = fault(sent);
  // A text may contain the expected value as JSON, as in the arguments of tasks.
  const meant =
    problem !== undefined && typeof sent === 'string' ? (exactJson(sent) as JsonValue | undefined) : undefined;
  const isMeant = meant !== undefined && typeof meant !== 'string' && fault(meant) === undefined;
  if (problem !== undefined && !isMeant) return refuse(problem);
  const read = resultOf(kind, isMeant ? meant : sent);
  if (!read.ok) return refuse(read.reason);
  const handle = await writeResult(store, read.result);
  return { ok: true, handle, ...(isMeant && { note: `the text ${describe(sent)} is read as ${describe(meant)}` }) };
}

/** The kind of a node's result. @throws RunFailureError `CapabilityChanged`, `FATAL` for an unknown node */
function kindOf(revision: Revision, nodeId: string, registry: CapabilityRegistry): ResultKind {
  const node = revision.plan.nodesById[nodeId];
  if (node === undefined) throw new RunFailureError('FATAL', `plan ${revision.plan.digest} has no node ${nodeId}`);
  return node.kind === 'combine'
    ? 'set'
    : approvedExecutor(node, revision.executorOf(nodeId), registry).capability.output;
}

function sizeProblem(value: unknown): string | undefined {
  if (isDeeperThan(VALUE_LEVELS, value))
    return `an answer has at most ${VALUE_LEVELS} levels of lists and objects; flatten it`;
  const encoded = encodeResult({ kind: 'value', value: value as JsonValue });
  if (!encoded.ok) return encoded.message;
  if (encoded.bytes.length <= MAX_ANSWER_BYTES) return undefined;
  return (
    `an answer takes at most ${MAX_ANSWER_BYTES} bytes as JSON, this one ${encoded.bytes.length}; ` +
    'keep what is long elsewhere and answer with where it is'
  );
}

function schemaProblem(value: JsonValue, schema: object): string | undefined {
  const answers = readAnswerSchema(schema);
  if (!answers.ok) {
    const told = answers.problems.map(({ path, message }) => `${['schema', ...path].join('.')}: ${message}`);
    return `the schema of the question cannot be used, so no answer can be checked (${told.join('; ')})`;
  }
  const problem = answers.problemOf(value);
  return problem && `the answer does not fit the schema of the question: ${problem}; send one that fits it`;
}

type ReadAnswer = { readonly ok: true; readonly result: Result } | { readonly ok: false; readonly reason: string };

function resultOf(kind: ResultKind, value: JsonValue): ReadAnswer {
  if (kind === 'value') return { ok: true, result: { kind, value } };
  if (kind === 'set') return setOf(value);
  if (typeof value === 'string') return { ok: true, result: { kind, text: value } };
  return { ok: false, reason: `expected a text, got ${described(value)}; put it in quotes` };
}

function setOf(value: JsonValue): ReadAnswer {
  if (!Array.isArray(value)) {
    return { ok: false, reason: `expected a list of ids, each a text, got ${described(value)}; [] is the empty set` };
  }
  const builder = createSetBuilder();
  for (const [at, id] of value.entries()) {
    if (typeof id !== 'string') {
      return { ok: false, reason: `expected a list of ids; number ${at + 1} is ${described(id)}, not a text` };
    }
    const added = builder.add({ id });
    if (!added.ok) return { ok: false, reason: `number ${at + 1} of the list is no id: ${added.message}` };
  }
  return { ok: true, result: { kind: 'set', set: builder.build() } };
}

function described(value: unknown): string {
  if (!isRecord(value)) return describe(value);
  const keys = Object.keys(value);
  return `an object${
    keys.length > 0
      ? ` with ${keys
          .slice(0, 3)
          .map((key) => JSON.stringify(cutCharacters(key, 40)))
          .join(', ')}`
      : ''
  }`;
}

function refuse(reason: string): AnswerReply {
  return { ok: false, reason: cutCharacters(reason, MAX_REASON) };
}
