/** The steps of a loop by the names that people know: `step_3` is the plan that its third round decided. */

import type { RunStatus } from '../contract/index.ts';
import { ClientError } from './client-error.ts';

const STEP = /^step_([1-9]\d*)$/;

/**
 * The round of a step's name; undefined for every other name.
 * @example roundOfStep('step_3'); // 3
 */
export function roundOfStep(name: string): number | undefined {
  const digits = STEP.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The message with the open step's name replaced by its node, which is what a run, and whoever signs, is told. */
export async function withStepNode<Message extends object>(
  message: Message,
  status: () => Promise<RunStatus>,
): Promise<Message> {
  const { node, nodes } = message as { readonly node?: unknown; readonly nodes?: unknown };
  const named = [node, ...(Array.isArray(nodes) ? (nodes as readonly unknown[]) : [])];
  if (!named.some((one) => typeof one === 'string' && roundOfStep(one) !== undefined)) return message;
  const now = await status();
  const nodeOf = (one: unknown) => (typeof one === 'string' ? stepNode(one, now) : one);
  return {
    ...message,
    ...(node !== undefined && { node: nodeOf(node) }),
    ...(Array.isArray(nodes) && { nodes: (nodes as readonly unknown[]).map(nodeOf) }),
  };
}

/**
 * The node of a step: that which gives its result. Another name stays as it is.
 * @throws ClientError `refused` where that step is not open
 * @example stepNode('step_3', await run.status()); // 'node_1'
 */
export function stepNode(name: string, { loop, counts }: RunStatus): string {
  const round = roundOfStep(name);
  if (round === undefined) return name;
  if (loop?.round === round && loop.step !== undefined) return `node_${counts.total}`;
  const where =
    loop === undefined
      ? 'the run follows a plan; its nodes are node_1, node_2, ...'
      : `the run is in round ${loop.round}${loop.step === undefined ? ', which is being decided' : ''}`;
  throw new ClientError('refused', `${name} is not open: ${where}`, { refusal: 'unknown-node' });
}
