/** The gate: every start of a node passes this function first, so that only the approved plan runs. */

import type { Approval } from './state.ts';
import { nodeId } from '../../protocol/index.ts';
import { isCovered } from './coverage.ts';

export type Permission = { readonly ok: true } | { readonly ok: false; readonly reason: string };

export interface StartRequest {
  /** The digest of the plan that the node belongs to. */
  readonly digest: string;
  readonly node: number;
}

/** Uses only the messages of people, and no computed state. */
export function mayRun({ digest, node }: StartRequest, approval: Approval): Permission {
  const { phase, gate, consents, rejected } = approval;
  if (gate === undefined || phase === 'drafting' || phase === 'closed') return refuse(`the run is ${phase}`);
  if (rejected) return refuse('the plan was rejected and waits for an edit');
  if (digest !== approval.digest) {
    return refuse(`the node belongs to plan ${digest.slice(0, 8)}, not to ${approval.digest.slice(0, 8)}`);
  }
  return isCovered(node, gate, consents)
    ? { ok: true }
    : refuse(`${nodeId(node)} of plan ${digest.slice(0, 8)} is not approved`);
}

function refuse(reason: string): Permission {
  return { ok: false, reason };
}
