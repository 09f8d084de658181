import { Parser } from 'htmlparser2';
import { isRecord } from '../protocol/index.ts';
import { closingOf, MODEL_LIMITS } from '../plan/index.ts';
import { cutCharacters, jsonIn, oneLine } from '../plan/text/index.ts';

export interface Feedback {
  readonly is: 'explanation' | 'node' | 'note' | 'stage' | 'trouble';
  /** One line for a person, at most 300 characters. It is text of the model and no part of a plan. */
  readonly text: string;
  /** The id of the node; `task` is its task. Both are as the model wrote them. */
  readonly key?: string;
  readonly task?: string;
}

const MAX_LINE = 300;

/** Reads a reply in pieces, a flat list of nodes or steps in XML, up to the size limit of a plan. Checks nothing. */
export function createFeedback(onFeedback: (feedback: Feedback) => void): (delta: string) => void {
  const known = new Set<string>();
  const scanJson = createJsonScan({ node: takeNode, explanation: (text) => sendFeedback('explanation', text) });
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
    const text = `${id}: ${typeof operator === 'string' ? `${left} ${operator} ${right}` : does}`;
    sendFeedback('node', text, { key: String(id), ...(typeof task === 'string' && { task }) });
  }

  function sendFeedback(is: Feedback['is'], text: string, node: Pick<Feedback, 'key' | 'task'> = {}): void {
    onFeedback({ is, text: cutCharacters(oneLine(text), MAX_LINE), ...node });
  }
}

function createXmlScan(found: (step: unknown) => void): (delta: string) => void {
  /** The texts of the open step's elements. `depth` is the number of elements that are open in the step. */
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
        const fieldText = (name: string) => read.get(name)?.trim() || undefined;
        found({
          id,
          task: fieldText('description') ?? fieldText('action'),
          capability: fieldText('capability'),
          agent: fieldText('agent'),
        });
        step = undefined;
      },
    },
    { xmlMode: true },
  );
  return (delta) => parser.write(delta);
}

const NODES = /(?<!\\)"nodes"\s*:\s*\[/;
const EXPLANATION = /(?<!\\)"explanation"\s*:\s*("(?:[^"\\]|\\.)*")/s;
/** Maximum characters of a node. A longer one would be read again with each piece, so feedback ends. */
const MAX_PIECE = 20_000;

function createJsonScan(found: {
  node(value: unknown): void;
  explanation(text: string): void;
}): (delta: string) => void {
  let rest = '';
  let isInList = false;
  let isExplained = false;
  return (delta) => {
    if (rest.length > MAX_PIECE) return;
    rest += delta;
    if (!isInList) {
      const list = NODES.exec(rest);
      explain(rest.slice(0, list?.index));
      if (list === null) return;
      isInList = true;
      rest = rest.slice(list.index + list[0].length);
    }
    for (let at = rest.search(/[^\s,]/); at >= 0; at = rest.search(/[^\s,]/)) {
      if (rest[at] !== '{') return explain(rest);
      const { end } = closingOf(rest, at, MODEL_LIMITS.valueDepth);
      if (end === undefined) return;
      found.node(jsonIn(rest.slice(at, end)));
      rest = rest.slice(end);
    }
  };

  function explain(text: string): void {
    const value = isExplained ? undefined : jsonIn(EXPLANATION.exec(text)?.[1] ?? '');
    if (typeof value !== 'string') return;
    isExplained = true;
    found.explanation(value);
  }
}
