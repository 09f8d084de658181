import { checkStoredPlan } from './check-stored-plan.ts';
import { digestOf } from './plan-identity.ts';
import { writeStoredPlan } from './stored-text.ts';
import type { CompiledPlan, NodeId, PlanNode, StoredPlan } from './compiled-plan.ts';

/** What reading stored bytes gave. */
export type DecodeResult =
  | { readonly ok: true; readonly plan: CompiledPlan }
  | { readonly ok: false; readonly message: string };

/** The stored form of a plan: exactly the bytes whose SHA-256 is its digest. */
export function encodePlan(plan: StoredPlan): Uint8Array {
  const parts: string[] = [];
  writeStoredPlan(plan, (part) => parts.push(part));
  return encoder.encode(parts.join(''));
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
  const plan = completePlan(checked.plan, checked.nodes);
  if (plan.digest === digestOf((write) => write(bytes))) return { ok: true, plan };
  const message = 'The plan is not in its stored form (RFC 8785, known fields only), so its digest would not be the one that was shown.';
  return { ok: false, message };
}

/** The whole plan from what is stored of it; `nodes` are all of its nodes in the order of their numbers. */
export function completePlan(stored: StoredPlan, nodes: readonly PlanNode[]): CompiledPlan {
  const nodesById: { [id: NodeId]: PlanNode } = {};
  const dependents: { [id: NodeId]: NodeId[] } = {};
  for (const node of nodes) {
    nodesById[node.id] = node;
    dependents[node.id] = NO_IDS;
    for (const dependency of node.dependsOn) {
      // An empty list that is pushed to takes room for 17 ids, and most nodes have one dependent.
      if (dependents[dependency] === NO_IDS) dependents[dependency] = [node.id];
      else dependents[dependency]!.push(node.id);
    }
  }
  const digest = digestOf((write) => writeStoredPlan(stored, (part) => write(encoder.encode(part))));
  return { ...stored, nodesById, dependents, digest };
}

const encoder = new TextEncoder();
const NO_IDS: NodeId[] = [];
