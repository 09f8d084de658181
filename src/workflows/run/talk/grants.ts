/** Applies to the plan the grants that people signed before the run. Each counts as a signed approval. */

import { cutCharacters, oneLine } from '../../../plan/text/index.ts';
import { given, type PublicKeys } from '../../../protocol/index.ts';
import type { GrantUse } from '../../../protocol/identity/token/index.ts';
import { approveByGrant } from '../../approval/approval.ts';
import type { Signed } from '../../approval/state.ts';
import type { Run } from '../in-memory.ts';
import { applyDecision } from './apply.ts';
import type { Verify } from './authenticate.ts';

const MAX_REASON = 300;

/**
 * Applies the grants that the compile found. The run verifies their signatures itself, since anybody with access to the
 * server can complete the compile activity. A worker checks the rest before each effect.
 */
export function applyGrants(run: Run, at: string, verify: Verify): void {
  const { keys } = run.state.project;
  const { grants = [], ungranted = [] } = run.execution?.planShape ?? {};
  if (keys === undefined || run.state.approval.phase === 'closed') return;
  const refused = grants.flatMap((grant) => apply(run, grant, { keys, at, verify }) ?? []);
  const reasons = [...ungranted, ...refused].map((reason) => cutCharacters(oneLine(reason), MAX_REASON));
  const { approval } = run.state;
  if (reasons.length > 0 && approval.phase === 'awaiting-approval')
    run.state.approval = { ...approval, ungranted: reasons };
}

interface Verifying {
  readonly keys: PublicKeys;
  readonly at: string;
  readonly verify: Verify;
}

/** Applies one grant. @returns why it does not count; undefined if it does */
function apply(
  run: Run,
  { id, token, use, except = [] }: GrantUse,
  { keys, at, verify }: Verifying,
): string | undefined {
  const name = `grant ${id.slice(0, 8)}`;
  const verified = verify(token, { keys, workflowId: run.workflowId, at, isGrant: true });
  if (!verified.ok) return `${name}: ${verified.reason}`;
  const { by, role, personKey, message } = verified;
  const { approval } = run.state;
  const comment = `${name}, use ${use} of ${String(message['uses'])}`;
  const word = { kind: 'approve', digest: approval.digest, by, comment, verified: true, token } as const;
  const decision: Signed = { ...word, grant: { id, use }, ...given({ role, personKey }) };
  const decided = approveByGrant(approval, decision, except, at);
  if (!decided.ok) return `${name}: ${decided.reason}`;
  applyDecision(run, decision, decided.approval, at);
  return undefined;
}
