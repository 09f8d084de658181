/** A plan told while it is written: what is whole of a reply that is still coming, each node once, after what it takes. */

import { isRecord } from '../contract/index.ts';
import { MODEL_LIMITS } from '../plan/index.ts';
import { cutCharacters, oneLine } from '../text/index.ts';

export interface Feedback {
  readonly is: 'explanation' | 'node' | 'stage' | 'trouble';
  /** One line for a person, at most 300 characters. It is what a model says, and no part of a plan. */
  readonly text: string;
}

export interface PartialReading {
  /** Takes what has come. */
  add(delta: string): void;
  /** The reply is over: nodes that wait for others that never came are told as well. */
  end(): void;
}

const MAX_LINE = 300;

/**
 * Reads a flat list of nodes as it comes. A node that takes one which is not whole yet waits for it. What is no such list is
 * passed over; nothing is judged here.
 * @example
 * const reading = createFeedback((feedback) => console.error(feedback.text));
 * reading.add('{"nodes":[{"id":"a","task":"Find genes"}'); // a: Find genes
 */
export function createFeedback(onFeedback: (feedback: Feedback) => void): PartialReading {
  const told = new Set<string>();
  const known = new Set<string>();
  let waiting: PartialNode[] = [];
  const scan = createScan({ node: takeNode, explanation: (text) => tell('explanation', text) });
  return {
    add: scan,
    end() {
      for (const node of waiting.splice(0)) tellNode(node);
    },
  };

  function takeNode(value: unknown): void {
    const node = readNode(value);
    if (node === undefined || known.has(node.id)) return;
    known.add(node.id);
    waiting.push(node);
    // Each that is told may be what another waits for.
    for (let next = ready(); next !== undefined; next = ready()) {
      waiting = waiting.filter((one) => one !== next);
      tellNode(next);
    }
  }

  function ready(): PartialNode | undefined {
    return waiting.find(({ inputs }) => inputs.every((name) => told.has(name)));
  }

  function tellNode({ id, line }: PartialNode): void {
    told.add(id);
    tell('node', line);
  }

  function tell(is: Feedback['is'], text: string): void {
    onFeedback({ is, text: cutCharacters(oneLine(text), MAX_LINE) });
  }
}

interface PartialNode {
  readonly id: string;
  readonly inputs: readonly string[];
  readonly line: string;
}

function readNode(value: unknown): PartialNode | undefined {
  if (!isRecord(value)) return undefined;
  const { id, task, operator, capability, agent, inputs } = value;
  if (typeof id !== 'string' && typeof id !== 'number') return undefined;
  const names = Array.isArray(inputs) ? inputs.map(String) : [];
  const executor = capability ?? agent;
  const line =
    typeof operator !== 'string'
      ? `${id}: ${String(task)}${typeof executor === 'string' ? ` (${executor})` : ''}`
      : `${id}: ${names[0]} ${operator} ${names[1]}`;
  return { id: String(id), inputs: names, line };
}

/** Hears each element of the list `nodes` and the text `explanation` of the first object of a text, when it is whole. */
function createScan(found: { node(value: unknown): void; explanation(text: string): void }): (delta: string) => void {
  let text = '';
  let at = 0;
  let depth = 0;
  let inText = false;
  let isEscaped = false;
  /** Where the text, or the element, that is being read begins. */
  let textStart = 0;
  let nodeStart = 0;
  let isKey = true;
  let key = '';
  return (delta) => {
    // A longer reply is no plan, and is refused when it is whole.
    if (text.length + delta.length > MODEL_LIMITS.bytes) return;
    text += delta;
    for (; at < text.length; at++) step(text[at]!);
  };

  function step(character: string): void {
    if (inText) {
      if (isEscaped) isEscaped = false;
      else if (character === '\\') isEscaped = true;
      else if (character === '"') endText();
    } else if (depth === 0) {
      // Prose before the reply is passed over.
      if (character === '{') depth = 1;
    } else if (character === '"') {
      inText = true;
      textStart = at;
    } else if (character === ':' && depth === 1) isKey = false;
    else if (character === ',' && depth === 1) isKey = true;
    else if (character === '{' || character === '[') {
      if (depth === 2) nodeStart = at;
      depth++;
    } else if (character === '}' || character === ']') {
      depth--;
      if (depth === 2 && key === 'nodes' && character === '}') found.node(parsed(text.slice(nodeStart, at + 1)));
    }
  }

  function endText(): void {
    inText = false;
    if (depth !== 1) return;
    const value = parsed(text.slice(textStart, at + 1));
    if (typeof value !== 'string') return;
    if (isKey) key = value;
    else if (key === 'explanation') found.explanation(value);
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}
