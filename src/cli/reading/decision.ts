/** A decision on a plan, as it was typed. */

import type { Decision, DecisionKind } from '../../wire/contract/index.ts';
import { parseDecision } from '../../engine/run/index.ts';
import { CliError } from '../cli-error.ts';
import { speakerOf, type SpeakerOptions } from './speaker.ts';

export interface DecisionOptions extends SpeakerOptions {
  /** For approve-part: the nodes that are approved. */
  readonly nodes?: readonly string[] | undefined;
  /** For revise: what another plan should do better. */
  readonly feedback?: string | undefined;
  readonly revision?: number | undefined;
}

/** `plan` is the document of an edit. @throws CliError USAGE when what was typed is no decision. */
export function decisionOf(kind: DecisionKind, options: DecisionOptions, digest: string, plan?: unknown): Decision {
  const { nodes, feedback, revision } = options;
  const parsed = parseDecision({
    kind,
    digest,
    ...speakerOf(options),
    ...(nodes !== undefined && { nodes }),
    ...(revision !== undefined && { revision }),
    ...(feedback !== undefined && { feedback }),
    ...(plan !== undefined && { plan }),
  });
  if (parsed.ok) return parsed.decision;
  throw new CliError('USAGE', parsed.reason);
}
