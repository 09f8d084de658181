import { isAlias, isMap, isScalar, isSeq, parseDocument, type Alias, type Document, type Node } from 'yaml';
import { quote } from '../text/index.ts';
import {
  ROOT,
  below,
  positionsIn,
  stepsTo,
  type IssueCode,
  type IssueList,
  type Place,
  type Position,
} from '../issues/index.ts';
import { duplicateKey, inexactNumber, isExact } from './json-text.ts';

/**
 * Reading YAML takes twenty times as long as JSON, so its limit is lower.
 * @bound {characters} a document in YAML, including what its aliases stand for @beyond refused: write it as JSON
 */
const MAX_LENGTH = 128 * 1024;
/** Maximum number of aliases in YAML. They could make a small document huge. */
const MAX_ALIASES = 100;
/** Maximum columns of indentation. The parser is recursive, and a stack overflow can end the process. */
const MAX_COLUMNS = 300;
const MAX_BRACKETS = 100;
const NO_MERGE = 'The key << merges values in YAML 1.1 alone. Write the keys out, or "<<" in quotes.';

/** The value of an anchor. `read` is absent while the value is being read. */
interface Anchor {
  read?: { readonly value: unknown; readonly length: number };
}

/** The text without its code fence, if its first line begins like a plan; otherwise undefined. */
export function yamlIn(text: string): string | undefined {
  const inside = /^\s*`{3}ya?ml[ \t]*\r?\n([^]*?)`{3}\s*$/.exec(text)?.[1] ?? text;
  const [first = ''] = /^(?![ \t]*(?:#|---|\r?$)).*$/m.exec(inside) ?? [];
  return /^(?:goal|objective|plan|execution_plan|steps|nodes|plan_id|complexity|estimated_time):(?:\s|$)/.test(first)
    ? inside
    : undefined;
}

/** Reads a YAML 1.2 document (core schema). An alias counts as many characters as its value. */
export function readYaml(
  text: string,
  issues: IssueList,
  positionOf: (offset: number) => Position = positionsIn(text),
): { readonly value: unknown } | undefined {
  const before = issues.errors;
  let length = text.length;
  if (length > MAX_LENGTH) {
    tooLarge(`A YAML document has at most ${MAX_LENGTH} characters, and this one has ${length}. Write it as JSON.`);
    return undefined;
  }
  const tooDeep = offsetTooDeep(text);
  const document = tooDeep === undefined ? parse(text) : undefined;
  if (document === undefined) {
    const message = 'The document may have more levels here than can be read. Indent it less, or write it as JSON.';
    refuse('too-deep', message, tooDeep ?? 0);
    return undefined;
  }
  for (const { code, message, pos } of [...document.errors, ...document.warnings]) {
    if (code === 'MULTIPLE_DOCS')
      refuse('several-documents', 'The text has more than one document. Send one plan.', pos[0]);
    else refuse('invalid-yaml', /[.!?]$/.test(message) ? message : `${message}.`, pos[0]);
  }
  issues.locateBy((places) => places.map((place) => positionOf(offsetOf(document.contents, place))));
  const anchors = new Map<string, Anchor>();
  let aliases = 0;
  const value = issues.errors > before ? undefined : nodeValue(document.contents, ROOT);
  return issues.errors > before ? undefined : { value };

  function nodeValue(node: Node | null, place: Place): unknown {
    if (isAlias(node)) return aliasedValue(node, place);
    if (node === null || !('anchor' in node) || node.anchor === undefined) return writtenValue(node, place);
    const anchor: Anchor = {};
    anchors.set(node.anchor, anchor);
    const [from = 0, to = from] = node.range ?? [];
    const own = to - from - length;
    const written = writtenValue(node, place);
    anchor.read = { value: written, length: own + length };
    return written;
  }

  function aliasedValue({ source, range }: Alias, place: Place): unknown {
    const at = range?.[0] ?? 0;
    const anchor = anchors.get(source);
    const name = quote(source);
    if (++aliases === MAX_ALIASES + 1)
      refuse('invalid-yaml', `The document has more than ${MAX_ALIASES} aliases. Write the values out.`, at, place);
    if (anchor === undefined) refuse('invalid-yaml', `There is no anchor ${name} before this alias.`, at, place);
    else if (anchor.read === undefined)
      refuse('invalid-yaml', `The alias ${name} is inside of the value that it stands for.`, at, place);
    if (anchor?.read === undefined || aliases > MAX_ALIASES || length > MAX_LENGTH) return null;
    length += anchor.read.length;
    if (length <= MAX_LENGTH) return anchor.read.value;
    const limit = `A YAML document has at most ${MAX_LENGTH} characters`;
    tooLarge(`${limit}, and this one has more with what its aliases stand for. Write it as JSON.`, at, place);
    return null;
  }

  function writtenValue(node: Node | null, place: Place): unknown {
    if (isScalar(node)) {
      const { source = '', value: scalar } = node;
      if (typeof scalar === 'number' && !isExact(source))
        issues.add('warning', 'inexact-number', place, () => ({
          ...inexactNumber(source),
          ...positionOf(node.range?.[0] ?? 0),
        }));
      return scalar;
    }
    if (!isMap(node) && !isSeq(node)) return null;
    const made: Record<string, unknown> | unknown[] = isMap(node) ? {} : [];
    if (Array.isArray(made)) {
      for (const [index, item] of node.items.entries()) made.push(nodeValue(item as Node, below(place, index)));
      return made;
    }
    for (const { key, value: member } of node.items as { key: Node | null; value: Node | null }[]) {
      const name = keyOf(key, made, place);
      // The property is defined, not assigned, so that `__proto__` is an ordinary key.
      const property = { value: nodeValue(member, below(place, name)), enumerable: true, writable: true };
      Object.defineProperty(made, name, { ...property, configurable: true });
    }
    return made;
  }

  function keyOf(key: Node | null, beside: object, place: Place): string {
    const at = key?.range?.[0] ?? 0;
    if (!isScalar(key) || key.value === null) {
      refuse('invalid-yaml', 'A key that is no text has no place in a plan. Write a text.', at, place);
      return '';
    }
    if (key.type === 'PLAIN' && key.value === '<<') refuse('invalid-yaml', NO_MERGE, at, place);
    const name = typeof key.value === 'string' ? key.value : `${key.value as number | boolean | bigint}`;
    if (Object.hasOwn(beside, name))
      issues.add('error', 'duplicate-key', below(place, name), () => ({ ...duplicateKey(name), ...positionOf(at) }));
    return name;
  }

  function tooLarge(message: string, offset = 0, place = ROOT): void {
    const expected = `at most ${MAX_LENGTH} characters`;
    issues.add('error', 'too-large', place, () => ({ message, expected, ...positionOf(offset) }));
  }

  function refuse(code: IssueCode, message: string, offset: number, place = ROOT): void {
    issues.add('error', code, place, () => ({ message, ...positionOf(offset) }));
  }
}

/** The offset of a place: for a member that of its key, for a missing field that of its parent. */
function offsetOf(root: Node | null, place: Place): number {
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const step of stepsTo(place)) {
    const isNamed = ({ key }: { readonly key: unknown }) => isScalar(key) && String(key.value) === step;
    const { key, value } = isMap(node)
      ? (node.items.findLast(isNamed) ?? {})
      : { value: isSeq(node) && node.items[step as number] };
    offset = ((key ?? value) as Node | undefined)?.range?.[0] ?? offset;
    node = value;
  }
  return offset;
}

/** The first position where nesting could exceed the limits. A level takes a column of indentation or a bracket. */
function offsetTooDeep(text: string): number | undefined {
  for (const line of text.matchAll(/^[ \t]*(?:[-?:][ \t]+)*/gm)) if (line[0].length > MAX_COLUMNS) return line.index;
  let brackets = 0;
  for (const { 0: bracket, index } of text.matchAll(/[[\]{}]/g)) {
    brackets = bracket === '[' || bracket === '{' ? brackets + 1 : Math.max(0, brackets - 1);
    if (brackets > MAX_BRACKETS) return index;
  }
  return undefined;
}

function parse(text: string): Document.Parsed | undefined {
  const { stackTraceLimit } = Error;
  try {
    // Creates errors without stacks. There can be one error per character, and stacks would take most of the time.
    Error.stackTraceLimit = 0;
    // Turns off the parser's own search for duplicate keys, which takes quadratic time.
    const options = {
      version: '1.2',
      schema: 'core',
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'error',
    } as const;
    return parseDocument(text, options);
  } catch {
    return undefined;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
