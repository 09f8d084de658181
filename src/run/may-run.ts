/**
 * The one gate. Every start of an activity with an effect above read, on every path, passes this function first:
 * what is approved is what runs.
 */

import type { Effect } from '../plan/index.ts';
import type { Approval } from './approval.ts';
import type { ApprovalPolicy } from './plan-input.ts';

export type Permission = { readonly ok: true } | { readonly ok: false; readonly reason: string };

export interface StartRequest {
  readonly effect: Effect;
  /** The digest of the plan that the node belongs to. */
  readonly digest: string;
}

export function mayRun(request: StartRequest, approval: Approval, policy: ApprovalPolicy): Permission {
  if (approval.phase !== 'running') return refuse(`the run is ${approval.phase}`);
  if (request.digest !== approval.digest) {
    return refuse(`the node belongs to plan ${request.digest.slice(0, 8)}, not to ${approval.digest.slice(0, 8)}`);
  }
  if (policy === 'effects' && request.effect === 'read') return { ok: true };
  return approval.decisions.some((one) => one.kind === 'approve' && one.revision === approval.revision)
    ? { ok: true }
    : refuse(`nobody approved plan ${approval.digest.slice(0, 8)}`);
}

function refuse(reason: string): Permission {
  return { ok: false, reason };
}
