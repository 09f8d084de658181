/** The nodes of an activity: the one that it is named after, or those of a part. */

import { jsonIn } from '../plan/text/index.ts';
import { nodeId, nodesIn, PART, problemOf, type PartRequest } from '../protocol/index.ts';

export interface ActivityNodes {
  /** The revision of the plan that they were started for. */
  readonly revision: number;
  /** Empty for other work. */
  readonly ids: readonly string[];
}

interface Activity {
  readonly activityId?: string | null;
  readonly activityType?: { readonly name?: string | null } | null;
  readonly input?: { readonly payloads?: readonly { readonly data?: Uint8Array | null }[] | null } | null;
}

/** `r2.node_3` is node_3 of the second revision. */
const NODE = /^(?:r(\d+)\.)?(node_\d+)?/;

export function nodesOfActivity({ activityId, activityType, input }: Activity): ActivityNodes {
  const [, revision = '1', id] = NODE.exec(activityId ?? '') ?? [];
  if (id !== undefined) return { revision: Number(revision), ids: [id] };
  const request = activityType?.name === 'runPart' ? jsonIn(input?.payloads?.[0]?.data ?? '') : undefined;
  const isRequest = request !== undefined && problemOf(PART, request) === undefined;
  return {
    revision: Number(revision),
    ids: isRequest ? nodesIn((request as PartRequest).nodes).map(nodeId) : [],
  };
}
