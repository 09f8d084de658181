/** Encodes and decodes the stored bytes of a plan. */

import { jsonIn } from '../text/index.ts';
import { canonicalJson } from './canonical-json.ts';
import { checkStoredPlan, PLAN_FIELDS } from './check-stored-plan.ts';
import { hexDigest } from './hashes.ts';
import { indexOfId } from './node-id.ts';
import type { CompiledPlan, JsonValue, NodeId, PlanNode, StoredPlan } from '../compiled-plan.ts';

export type DecodeResult =
  | { readonly ok: true; readonly plan: CompiledPlan }
  | { readonly ok: false; readonly message: string };

/**
 * The stored form of a plan: the RFC 8785 canonical JSON of its `StoredPlan`. The SHA-256 of these bytes is its digest.
 */
export function encodePlan(plan: StoredPlan): Uint8Array {
  const fields = PLAN_FIELDS.flatMap((field) => (plan[field] === undefined ? [] : [[field, plan[field]] as const]));
  return encoder.encode(canonicalJson(Object.fromEntries(fields) as JsonValue));
}

/** Rebuilds a plan from its stored form. Other bytes give a message. */
export function decodePlan(bytes: Uint8Array): DecodeResult {
  const parsed = jsonIn(bytes);
  if (parsed === undefined) return { ok: false, message: NOT_CANONICAL };
  const checked = checkStoredPlan(parsed);
  if (!checked.ok) return checked;
  try {
    const plan = completePlan(checked.plan, checked.nodes);
    if (plan.digest === hexDigest(bytes)) return { ok: true, plan };
  } catch {
    // A text that no encoding can carry is not ours either.
    return { ok: false, message: NOT_CANONICAL };
  }
  return {
    ok: false,
    message: 'This is no stored plan: it has another form (RFC 8785) than this version writes.',
  };
}

export function completePlan(stored: StoredPlan, nodes: readonly PlanNode[]): CompiledPlan {
  const lists: NodeId[][] = nodes.map(() => NO_IDS);
  for (const { id, dependsOn } of nodes) {
    for (const dependency of dependsOn) {
      const index = indexOfId(dependency);
      // An empty array that is pushed to reserves 17 places, and most nodes have one dependent.
      if (lists[index] === NO_IDS) lists[index] = [id];
      else lists[index]!.push(id);
    }
  }
  const nodesById: { [id: NodeId]: PlanNode } = {};
  const dependents: { [id: NodeId]: readonly NodeId[] } = {};
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index]!;
    nodesById[node.id] = node;
    dependents[node.id] = lists[index]!;
  }
  return { ...stored, nodesById, dependents, digest: hexDigest(encodePlan(stored)) };
}

const NOT_CANONICAL = 'This is no stored plan: it is not canonical JSON in UTF-8.';
const encoder = new TextEncoder();
const NO_IDS: NodeId[] = [];
