/** Executes the nodes of a part as soon as they are ready. Nodes with the longest remaining path go first. */

import { nodeId, nodesIn, refsFrom, type NodeRequest, type PartRequest } from '../../protocol/index.ts';
import { openProgress, type NodeProgress } from '../../workflows/run/index.ts';
import { inputsOf, type Revision } from '../revision.ts';
import type { Item } from './report-ends.ts';

/** After this time (ms) the part yields to the event loop, so that heartbeats and other parts can run. */
const TURN_MS = 10;

/** The result of one attempt at a node; undefined if the node did not begin or was stopped. */
export type AttemptResult = Item | undefined;

export interface PartWork {
  carryOut(node: number, request: NodeRequest): Promise<AttemptResult>;
  idle(): void;
  failed(error: unknown): void;
}

export interface PartAtWork {
  go(): void;
  stop(): void;
  atWork(): readonly string[];
  readonly counts: { done: number; readonly of: number };
}

export function inputIndexes({ plan }: Revision, nodes: readonly number[]): readonly (readonly number[])[] {
  const placeOf = new Map(nodes.map((node, place) => [nodeId(node), place]));
  return nodes.map((node) => inputIds({ plan }, node).flatMap((id) => placeOf.get(id) ?? []));
}

function inputIds({ plan }: Pick<Revision, 'plan'>, node: number): readonly string[] {
  const one = plan.nodesById[nodeId(node)];
  return one === undefined ? [] : inputsOf(one);
}

export function createPart(request: PartRequest, revision: Revision, work: PartWork): PartAtWork {
  const nodes = nodesIn(request.nodes);
  const progress: NodeProgress = openProgress(inputIndexes(revision, nodes), Math.max(1, request.slots));
  const refs = new Map([...refsFrom(request)].map(([node, ref]) => [nodeId(node), ref]));
  const counts = { done: 0, of: nodes.length };
  const now = new Set<number>();
  let since = performance.now();
  let isYielding = false;
  let isStopped = false;

  function pump(): void {
    if (isYielding) return;
    for (;;) {
      if (isStopped) break;
      if (performance.now() - since > TURN_MS) {
        isYielding = true;
        setImmediate(() => {
          isYielding = false;
          since = performance.now();
          pump();
        });
        return;
      }
      const place = progress.next();
      if (place === undefined) break;
      now.add(place);
      work
        .carryOut(nodes[place] ?? 0, requestOf(place))
        .then((outcome) => land(place, outcome))
        .catch((error: unknown) => work.failed(error));
    }
    if (now.size === 0) work.idle();
  }

  function land(place: number, outcome: AttemptResult): void {
    now.delete(place);
    if (outcome !== undefined && 'handle' in outcome) {
      counts.done += 1;
      refs.set(nodeId(nodes[place] ?? 0), outcome.handle.ref);
      progress.succeed(place, outcome.handle);
    } else progress.drop(place);
    pump();
  }

  function requestOf(place: number): NodeRequest {
    const node = nodes[place] ?? 0;
    return {
      firstRunId: request.firstRunId,
      revision: request.revision,
      nodeId: nodeId(node),
      inputs: inputIds(revision, node).map((id) => refs.get(id) ?? ''),
      work: request.work + place,
    };
  }

  return {
    go: pump,
    stop() {
      isStopped = true;
      pump();
    },
    atWork: () => [...now].map((place) => nodeId(nodes[place] ?? 0)),
    counts,
  };
}

export interface PartTimes {
  /** Time limit in ms for an attempt at a node of a part, unless the node's own timeout is shorter. */
  readonly tryMs: number;
  /** After this time (milliseconds) a part starts no further node. */
  readonly beginMs: number;
  /** After this time (ms) the part ends. The run puts unfinished nodes into the next part. */
  readonly endMs: number;
}

export const PART_TIMES: PartTimes = {
  tryMs: 5000,
  beginMs: 50_000,
  endMs: 60_000,
};
