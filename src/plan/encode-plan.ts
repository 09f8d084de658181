import { writeCanonicalBytes } from './canonical-json.ts';
import { checkStoredPlan } from './check-stored-plan.ts';
import { digestOf } from './plan-identity.ts';
import type { CompiledPlan, JsonValue, NodeId, PlanNode, StoredPlan } from './compiled-plan.ts';

/** What reading stored bytes gave. */
export type DecodeResult =
  | { readonly ok: true; readonly plan: CompiledPlan }
  | { readonly ok: false; readonly message: string };

/** The stored form of a plan: exactly the bytes whose SHA-256 is its digest. */
export function encodePlan(plan: StoredPlan): Uint8Array {
  return canonicalBytes(storedPart(plan) as unknown as JsonValue);
}

/** Rebuilds a plan from its stored form. Bytes that are no stored plan of this version give a message. */
export function decodePlan(bytes: Uint8Array): DecodeResult {
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return { ok: false, message: 'The bytes are not JSON in UTF-8, so they are no stored plan.' };
  }
  const checked = checkStoredPlan(parsed);
  if (!checked.ok) return checked;
  if (!isCanonical(parsed, bytes)) {
    return { ok: false, message: 'The plan is not in its canonical form (RFC 8785), so its digest would not be the one that was shown.' };
  }
  return { ok: true, plan: withIndexes(checked.plan, checked.nodes, digestOf((write) => write(bytes))) };
}

/** The whole plan from what is stored of it; `nodes` are all of its nodes in the order of their numbers. */
export function withIndexes(
  stored: StoredPlan,
  nodes: readonly PlanNode[],
  digest: string = digestOf((write) => writeCanonicalBytes(stored as unknown as JsonValue, write)),
): CompiledPlan {
  const nodesById: { [id: NodeId]: PlanNode } = {};
  const dependents: { [id: NodeId]: NodeId[] } = {};
  for (const node of nodes) {
    nodesById[node.id] = node;
    dependents[node.id] = [];
    for (const dependency of node.dependsOn) dependents[dependency]!.push(node.id);
  }
  return { ...stored, nodesById, dependents, digest };
}

/** Everything of a plan that does not follow from the rest of it. */
function storedPart(plan: StoredPlan): StoredPlan {
  const { version, goal, root, tasks, combines, complexity, estimatedMinutes, external } = plan;
  return {
    version,
    goal,
    root,
    tasks,
    combines,
    ...(complexity === undefined ? {} : { complexity }),
    ...(estimatedMinutes === undefined ? {} : { estimatedMinutes }),
    ...(external === undefined ? {} : { external }),
  };
}

function canonicalBytes(value: JsonValue): Uint8Array {
  const parts: Uint8Array[] = [];
  writeCanonicalBytes(value, (part) => parts.push(part));
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function isCanonical(parsed: unknown, bytes: Uint8Array): boolean {
  try {
    const written = canonicalBytes(parsed as JsonValue);
    return written.length === bytes.length && written.every((byte, index) => byte === bytes[index]);
  } catch {
    return false;
  }
}
