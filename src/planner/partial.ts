/**
 * A plan told while it is written: the whole nodes of a reply that is still coming, each once, after the nodes that it
 * takes.
 */

import { isRecord } from '../protocol/index.ts';
import { MODEL_LIMITS } from '../plan/index.ts';
import { cutCharacters, jsonIn, oneLine } from '../plan/text/index.ts';

export interface Feedback {
  readonly is: 'explanation' | 'node' | 'note' | 'stage' | 'trouble';
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
 * Reads a flat list of nodes, or the steps of a plan in XML, as they come. A node that takes one which is not whole yet waits for it. Any other text is
 * passed over; no plan is judged here.
 * @example
 * const reading = createFeedback((feedback) => console.error(feedback.text));
 * reading.add('{"nodes":[{"id":"a","task":"Find genes"}'); // a: Find genes
 */
export function createFeedback(onFeedback: (feedback: Feedback) => void): PartialReading {
  const told = new Set<string>();
  const known = new Set<string>();
  /** The nodes that wait, in the order in which they came; and by the one name that each waits for now. */
  const open = new Set<PartialNode>();
  const waiting = new Map<string, PartialNode[]>();
  const scan = createScan({ node: takeNode, explanation: (text) => tell('explanation', text) });
  const scanXml = createXmlScan(takeNode);
  return {
    add(delta) {
      scan(delta);
      scanXml(delta);
    },
    end() {
      for (const { line } of open) tell('node', line);
      open.clear();
      waiting.clear();
    },
  };

  function takeNode(value: unknown): void {
    const node = readNode(value);
    if (node === undefined || known.has(node.id)) return;
    known.add(node.id);
    open.add(node);
    // Each that is told may be what others wait for. Each looks at each of its inputs once.
    const next = [node];
    for (const one of next) {
      while (one.seen < one.inputs.length && told.has(one.inputs[one.seen]!)) one.seen += 1;
      const missing = one.inputs[one.seen];
      if (missing === undefined) {
        told.add(one.id);
        open.delete(one);
        tell('node', one.line);
        for (const freed of waiting.get(one.id) ?? []) next.push(freed);
        waiting.delete(one.id);
      } else {
        const others = waiting.get(missing);
        if (others === undefined) waiting.set(missing, [one]);
        else others.push(one);
      }
    }
  }

  function tell(is: Feedback['is'], text: string): void {
    onFeedback({ is, text: cutCharacters(oneLine(text), MAX_LINE) });
  }
}

interface PartialNode {
  readonly id: string;
  readonly inputs: readonly string[];
  /** How many of its inputs have been told. */
  seen: number;
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
  return { id: String(id), inputs: names, seen: 0, line };
}

const XML_STEP_END = '</step>';

/** Hears each whole step of a plan in XML. */
function createXmlScan(step: (value: unknown) => void): (delta: string) => void {
  let length = 0;
  /** The pieces since the last step, which are joined when the next one ends, and what they end in. */
  let parts: string[] = [];
  let tail = '';
  return (delta) => {
    length += delta.length;
    if (length > MODEL_LIMITS.bytes) return;
    parts.push(delta);
    const ends = (tail + delta).includes(XML_STEP_END);
    tail = (tail + delta).slice(1 - XML_STEP_END.length);
    if (!ends) return;
    const pieces = parts.join('').split(XML_STEP_END);
    parts = [pieces.pop() ?? ''];
    for (const piece of pieces) step(readXmlStep(piece.slice(Math.max(0, piece.lastIndexOf('<step')))));
  };
}

function readXmlStep(text: string): unknown {
  const [, id] = /^<step[^>]*\bid="([^"]*)"/.exec(text) ?? [];
  const inside = (name: string) => {
    const [, found = ''] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(text) ?? [];
    return found.replaceAll('&lt;', '<').replaceAll('&amp;', '&').trim() || undefined;
  };
  return {
    id,
    task: inside('description') ?? inside('action'),
    capability: inside('capability'),
    agent: inside('agent'),
    inputs: inside('dependencies')?.match(/[^\s,]+/g) ?? [],
  };
}

/** Hears each element of the list `nodes` and the text `explanation` of the first object of a text, when it is whole. */
function createScan(found: { node(value: unknown): void; explanation(text: string): void }): (delta: string) => void {
  let length = 0;
  let depth = 0;
  let inText = false;
  let isEscaped = false;
  let isKey = true;
  let key = '';
  /** The pieces so far of the text, or the element, that is being read. Only they are kept. */
  let parts: string[] | undefined;
  /** The index at which it begins, or goes on, in the piece that is read now. */
  let from = 0;
  let delta = '';
  let at = 0;
  return (piece) => {
    length += piece.length;
    // A longer reply is no plan, and is refused when it is whole.
    if (length > MODEL_LIMITS.bytes) return;
    delta = piece;
    from = 0;
    for (at = 0; at < delta.length; at++) step(delta[at]!);
    parts?.push(delta.slice(from));
  };

  function begin(): void {
    parts = [];
    from = at;
  }

  function ended(): string {
    const whole = [...(parts ?? []), delta.slice(from, at + 1)].join('');
    parts = undefined;
    return whole;
  }

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
      if (depth === 1) begin();
    } else if (character === ':' && depth === 1) isKey = false;
    else if (character === ',' && depth === 1) isKey = true;
    else if (character === '{' || character === '[') {
      if (depth === 2 && key === 'nodes') begin();
      depth++;
    } else if (character === '}' || character === ']') {
      depth--;
      if (depth !== 2 || parts === undefined) return;
      const element = ended();
      if (character === '}') found.node(jsonIn(element));
    }
  }

  function endText(): void {
    inText = false;
    if (depth !== 1) return;
    const value = jsonIn(ended());
    if (typeof value !== 'string') return;
    if (isKey) key = value;
    else if (key === 'explanation') found.explanation(value);
  }
}
