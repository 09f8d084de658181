/** Resolves people's names for nodes: the context key of a step or, in a loop, `step_3`. */

import { isNodeId, type NodeView, type RunStatus } from '../protocol/index.ts';
import { quote } from '../plan/text/index.ts';
import { ClientError } from './client-error.ts';
import type { RunHandle } from './run-handle.ts';

const STEP = /^step_([1-9]\d*)$/;

/** The round in a step's name; undefined for any other name. @example roundOfStep('step_3'); // 3 */
export function roundOfStep(name: string): number | undefined {
  const digits = STEP.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Replaces names of nodes in a message by ids, since runs accept only ids and the signature must cover them. */
export async function withNodeIds<Message extends object>(
  message: Message,
  run: Pick<RunHandle, 'view'>,
): Promise<Message> {
  const { node, nodes } = message as { readonly node?: unknown; readonly nodes?: unknown };
  const all: readonly unknown[] = Array.isArray(nodes) ? nodes : [];
  const names = [node, ...all].filter((one) => typeof one === 'string');
  const ids = await nodeIds(names, run);
  const idOf = (one: unknown) => (typeof one === 'string' ? ids[names.indexOf(one)] : one);
  return {
    ...message,
    ...(node !== undefined && { node: idOf(node) }),
    ...(Array.isArray(nodes) && { nodes: all.map(idOf) }),
  };
}

/**
 * Resolves names of nodes: ids, context keys or, in a loop, the open step. Ids alone need no worker.
 * @throws ClientError `refused` with the existing names, if a name is unknown or means two nodes
 * @example await nodeIds(['node_1', 'focused'], run); // ['node_1', 'node_6']
 */
export async function nodeIds(names: readonly string[], run: Pick<RunHandle, 'view'>): Promise<readonly string[]> {
  if (!names.some((name) => !isNodeId(name))) return names;
  const { nodes, status } = await run.view(['nodes', 'status']);
  const isStep = names.some((name) => roundOfStep(name) !== undefined);
  return names.map((name) => nodeIdOf(name, nodes, isStep ? status : undefined));
}

/**
 * Resolves the name of one node. An id takes precedence over a key that looks like an id.
 * @throws ClientError `refused` with the existing names, if the name is unknown or means two nodes
 * @example nodeIdOf('focused', nodes); // 'node_6'
 */
export function nodeIdOf(name: string, nodes: readonly NodeView[], status?: RunStatus): string {
  if (isNodeId(name) && (nodes.length === 0 || nodes.some(({ id }) => id === name))) return name;
  const keyed = nodes.filter(({ key }) => key === name).map(({ id }) => id);
  const isStep = status?.loop !== undefined && roundOfStep(name) !== undefined;
  const [id] = keyed;
  // If a step has a single node, the step's name is also the node's key.
  const isAlone = keyed.length === 1 && (!isStep || stepNode(name, status) === id);
  if (id !== undefined && !isAlone) {
    const others = isStep ? 'the step that the run has decided under that name' : keyed.slice(1).join(', ');
    throw unknown(`${quote(name)} stands for ${id} and for ${others}; name it by its id`);
  }
  if (id !== undefined) return id;
  if (status !== undefined && (isStep || nodes.every(({ key }) => key === undefined))) return stepNode(name, status);
  const most = nodes.slice(0, MAX_NAMED).map((node) => (node.key === undefined ? node.id : `${node.id} (${node.key})`));
  const more = nodes.length - most.length;
  const there = nodes.length === 0 ? 'it has no plan yet' : `it has ${most.join(', ')}`;
  throw unknown(`the run has no node ${quote(name)}; ${there}${more === 0 ? '' : ` and ${more} more`}`);
}

const MAX_NAMED = 12;

function unknown(message: string): ClientError {
  return new ClientError('refused', message, { refusal: 'unknown-node' });
}

/**
 * The node that gives the result of a step. Another name is returned unchanged.
 * @throws ClientError `refused` if that step is not open
 * @example stepNode('step_3', status); // 'node_1'
 */
export function stepNode(name: string, { loop, counts }: Pick<RunStatus, 'loop' | 'counts'>): string {
  const round = roundOfStep(name);
  if (round === undefined) return name;
  if (loop?.round === round && loop.step !== undefined) return `node_${counts.total}`;
  const where =
    loop === undefined
      ? 'the run follows a plan; its nodes are node_1, node_2, ...'
      : `the run is in round ${loop.round}${loop.step === undefined ? ', which is being decided' : ''}`;
  throw unknown(`${name} is not open: ${where}`);
}
