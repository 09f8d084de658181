/** A part at work: its nodes in the order in which they become ready, the longest remaining path first. */

import { nodeId, nodesIn, refsFrom, type NodeRequest, type PartRequest } from '../../protocol/index.ts';
import { openProgress, type NodeProgress } from '../../workflows/run/index.ts';
import { inputsOf, type Revision } from '../revision.ts';
import type { Item } from './news.ts';

/** Yields to the event loop after so long, for heartbeats and other parts. */
const TURN_MS = 10;

/** The result of one try at a node; undefined if it has not begun, or was stopped. */
export type AttemptResult = Item | undefined;

export interface PartWork {
  carryOut(node: number, request: NodeRequest): Promise<AttemptResult>;
  /** No node is at work and none can begin. */
  idle(): void;
  /** A fault of the program, or of a store that was asked. */
  failed(error: unknown): void;
}

export interface PartAtWork {
  /** Begins what is ready. */
  go(): void;
  /** Begins no other node. */
  stop(): void;
  /** Ids of nodes at work. */
  atWork(): readonly string[];
  readonly counts: { done: number; readonly of: number };
}

/** The nodes of a part by their places in it, with the inputs that are in it too. */
export function placesOf({ plan }: Revision, nodes: readonly number[]): readonly (readonly number[])[] {
  const placeOf = new Map(nodes.map((node, place) => [nodeId(node), place]));
  return nodes.map((node) => inputsAt({ plan }, node).flatMap((id) => placeOf.get(id) ?? []));
}

function inputsAt({ plan }: Pick<Revision, 'plan'>, node: number): readonly string[] {
  const one = plan.nodesById[nodeId(node)];
  return one === undefined ? [] : inputsOf(one);
}

export function createPart(request: PartRequest, revision: Revision, work: PartWork): PartAtWork {
  const nodes = nodesIn(request.nodes);
  const progress: NodeProgress = openProgress(placesOf(revision, nodes), Math.max(1, request.slots));
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
      chain: request.chain,
      revision: request.revision,
      nodeId: nodeId(node),
      inputs: inputsAt(revision, node).map((id) => refs.get(id) ?? ''),
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

/** In milliseconds. */
export interface PartTimes {
  /** A node is tried for so long, or for its own shorter timeout. */
  readonly tryMs: number;
  /** From then on a part begins nothing. */
  readonly beginMs: number;
  /** The part ends; its open nodes are returned and go into the next one. */
  readonly endMs: number;
}

export const PART_TIMES: PartTimes = {
  /** A node of a part: one try. */
  tryMs: 5000,
  /** The time in which a part begins nodes. */
  beginMs: 50_000,
  /** The time of a part. */
  endMs: 60_000,
};
