/** A plan told while it is written: the whole nodes of a reply that is still coming, each once, as they come. */

import { Parser } from 'htmlparser2';
import { isRecord } from '../protocol/index.ts';
import { MODEL_LIMITS } from '../plan/index.ts';
import { cutCharacters, jsonIn, oneLine } from '../plan/text/index.ts';

export interface Feedback {
  readonly is: 'explanation' | 'node' | 'note' | 'stage' | 'trouble';
  /** One line for a person, at most 300 characters. It is what a model says, and no part of a plan. */
  readonly text: string;
}

/**
 * @bound {characters} a line of feedback
 * @beyond cut
 */
const MAX_LINE = 300;

/**
 * Takes a reply as it comes: a flat list of nodes, or the steps of a plan in XML. Any other text is passed over, and so is
 * what is too long for a plan; no plan is judged here.
 * @example
 * const hear = createFeedback((feedback) => console.error(feedback.text));
 * hear('{"nodes":[{"id":"a","task":"Find genes"}'); // a: Find genes
 */
export function createFeedback(onFeedback: (feedback: Feedback) => void): (delta: string) => void {
  const known = new Set<string>();
  const scanJson = createJsonScan({ node: takeNode, explanation: (text) => tell('explanation', text) });
  const scanXml = createXmlScan(takeNode);
  let length = 0;
  return (delta) => {
    length += delta.length;
    if (length > MODEL_LIMITS.bytes) return;
    scanJson(delta);
    scanXml(delta);
  };

  function takeNode(value: unknown): void {
    if (!isRecord(value)) return;
    const { id, task, operator, capability, agent, inputs } = value;
    if ((typeof id !== 'string' && typeof id !== 'number') || known.has(String(id))) return;
    known.add(String(id));
    const [left, right] = Array.isArray(inputs) ? inputs.map(String) : [];
    const executor = capability ?? agent;
    const does = `${String(task)}${typeof executor === 'string' ? ` (${executor})` : ''}`;
    tell('node', `${id}: ${typeof operator === 'string' ? `${left} ${operator} ${right}` : does}`);
  }

  function tell(is: Feedback['is'], text: string): void {
    onFeedback({ is, text: cutCharacters(oneLine(text), MAX_LINE) });
  }
}

/** Hears each whole step of a plan in XML. */
function createXmlScan(found: (step: unknown) => void): (delta: string) => void {
  /** The texts of the elements of the step that is read, and how deep in it the reader is. */
  let step: Map<string, string> | undefined;
  let id: string | undefined;
  let field = '';
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (step !== undefined) depth += 1;
        else if (name === 'step') [step, id] = [new Map(), attributes['id']];
        if (depth === 1) field = name;
      },
      ontext(text) {
        if (depth === 1) step?.set(field, (step.get(field) ?? '') + text);
      },
      onclosetag(_name, isImplied) {
        if (step === undefined || isImplied) return;
        if (depth > 0) {
          depth -= 1;
          return;
        }
        const read = step;
        const said = (name: string) => read.get(name)?.trim() || undefined;
        found({
          id,
          task: said('description') ?? said('action'),
          capability: said('capability'),
          agent: said('agent'),
        });
        step = undefined;
      },
    },
    { xmlMode: true },
  );
  return (delta) => parser.write(delta);
}

/** Hears each element of the list `nodes` and the text `explanation` of the first object of a text, when it is whole. */
function createJsonScan(found: {
  node(value: unknown): void;
  explanation(text: string): void;
}): (delta: string) => void {
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
