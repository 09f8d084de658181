/** YAML, as the JSON value that it says. */

import { isAlias, isCollection, isMap, isScalar, parseDocument } from 'yaml';
import { quote } from '../text/index.ts';
import { ROOT, farBelow, positionOf } from '../issues/index.ts';
import type { Document, Node, YAMLMap, YAMLSeq } from 'yaml';
import type { IssueCode, IssueList } from '../issues/index.ts';

/** YAML is for what people write: it takes about twenty times as long to read as JSON. */
const MAX_LENGTH = 128 * 1024;
const MAX_ALIASES = 100;
/** The parser is recursive, and running out of stack inside of it can end the process: levels are bounded before. */
const MAX_COLUMNS = 300;
const MAX_BRACKETS = 100;

/** The value of a YAML 1.2 document (core schema), or undefined with an issue. An alias is the very value it names. */
export function readYaml(text: string, issues: IssueList): { readonly value: unknown } | undefined {
  if (text.length > MAX_LENGTH) {
    issues.add('error', 'too-large', ROOT, () => ({
      message: `A YAML document has at most ${MAX_LENGTH} characters, and this one has ${text.length}. Write it as JSON.`,
      expected: `at most ${MAX_LENGTH} characters`,
    }));
    return undefined;
  }
  const before = issues.errors;
  const tooDeep = offsetTooDeep(text);
  if (tooDeep !== undefined) {
    addIssue(
      text,
      issues,
      'too-deep',
      'The document may have more levels here than can be read. Indent it less, or write it as JSON.',
      tooDeep,
    );
    return undefined;
  }
  const document = parse(text, issues);
  for (const { code, message, pos } of [...(document?.errors ?? []), ...(document?.warnings ?? [])]) {
    addIssue(text, issues, code === 'MULTIPLE_DOCS' ? 'several-documents' : 'invalid-yaml', message, pos[0]);
  }
  if (document === undefined || issues.errors > before) return undefined;
  const value = valueOf(document, text, issues);
  return issues.errors > before ? undefined : { value };
}

/**
 * The first place where nesting could go beyond the bounds: a level takes a column of indentation, be it spaces or the
 * `-`, `?` and `:` that a line begins with, or a bracket. Brackets inside texts are counted too.
 */
function offsetTooDeep(text: string): number | undefined {
  for (const line of text.matchAll(/^[ \t]*(?:[-?:][ \t]+)*/gm)) if (line[0].length > MAX_COLUMNS) return line.index;
  let brackets = 0;
  for (const { 0: bracket, index } of text.matchAll(/[[\]{}]/g)) {
    brackets = bracket === '[' || bracket === '{' ? brackets + 1 : Math.max(0, brackets - 1);
    if (brackets > MAX_BRACKETS) return index;
  }
  return undefined;
}

function parse(text: string, issues: IssueList): Document.Parsed | undefined {
  try {
    // Its own search for duplicate keys compares every key with every other one.
    return parseDocument(text, {
      version: '1.2',
      schema: 'core',
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'error',
    });
  } catch {
    addIssue(text, issues, 'too-deep', 'The document has too many levels. Make it flatter.', 0);
    return undefined;
  }
}

interface Frame {
  readonly node: YAMLMap.Parsed | YAMLSeq.Parsed;
  readonly value: { [key: string]: unknown } | unknown[];
  readonly keys: Set<string>;
  step: string | number;
  next: number;
}

/** Iterative, and in document order, so that an alias finds the anchor that goes before it. */
function valueOf({ contents }: Document.Parsed, text: string, issues: IssueList): unknown {
  const anchored = new Map<string, unknown>();
  const open: Frame[] = [];
  let aliases = 0;
  const root = convert(contents);
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const item = top.node.items[top.next++];
    if (item === undefined) open.pop();
    else if (Array.isArray(top.value)) {
      top.step = top.next - 1;
      top.value.push(convert(item as Node));
    } else {
      const { key, value } = item as { readonly key: Node | null; readonly value: Node | null };
      top.step = keyOf(key, top);
      // Defined, not set: a key such as __proto__ is an ordinary key.
      Object.defineProperty(top.value, top.step, {
        value: convert(value),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
  }
  return root;

  function convert(node: Node | null): unknown {
    if (node === null) return null;
    if (isAlias(node)) {
      if (++aliases === MAX_ALIASES + 1)
        refuse('invalid-yaml', `The document has more than ${MAX_ALIASES} aliases. Write the values out.`, node);
      if (!anchored.has(node.source))
        refuse('invalid-yaml', `There is no anchor ${quote(node.source)} before this alias.`, node);
      return aliases > MAX_ALIASES ? null : anchored.get(node.source);
    }
    if (isScalar(node)) {
      if (typeof node.value === 'number') checkNumber(node.value, node.source ?? '', node);
      if (node.anchor !== undefined) anchored.set(node.anchor, node.value);
      return node.value;
    }
    if (!isCollection(node)) return null;
    const frame: Frame = {
      node: node as Frame['node'],
      value: isMap(node) ? {} : [],
      keys: new Set(),
      step: '',
      next: 0,
    };
    if (node.anchor !== undefined) anchored.set(node.anchor, frame.value);
    open.push(frame);
    return frame.value;
  }

  function keyOf(key: Node | null, { keys }: Frame): string {
    if (!isScalar(key) || key.value === null) {
      refuse('invalid-yaml', 'A key that is no text has no place in a plan. Write a text.', key);
      return '';
    }
    const name = typeof key.value === 'string' ? key.value : `${key.value as number | boolean | bigint}`;
    const size = keys.size;
    if (keys.add(name).size === size)
      refuse(
        'duplicate-key',
        `The object has the key ${quote(name)} more than once, and only one of them can count. Keep one.`,
        key,
        name,
      );
    return name;
  }

  function checkNumber(value: number, source: string, node: Node): void {
    if (!/^[-+]?\d+$/.test(source) || Number.isSafeInteger(value) || source.length > 400) return;
    if (BigInt(source) === BigInt(value)) return;
    const message = `The number ${quote(source)} is too long to be kept exactly; it becomes ${value}. Write it in quotes.`;
    issues.add('warning', 'inexact-number', ROOT, () => ({ message, ...positionOf(text, node.range?.[0] ?? 0) }));
  }

  function refuse(code: IssueCode, message: string, node: Node | null, name?: string): void {
    const steps = open.slice(0, -1).map(({ step }) => step);
    const place = farBelow(ROOT, name === undefined ? steps : [...steps, name]);
    issues.add('error', code, place, () => ({ message, ...positionOf(text, node?.range?.[0] ?? 0) }));
  }
}

function addIssue(text: string, issues: IssueList, code: IssueCode, message: string, offset: number): void {
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
  issues.add('error', code, ROOT, () => ({ message: sentence, ...positionOf(text, offset) }));
}
