import type { Node } from 'jsonc-parser';
import { describeValue, quote } from '../text/index.ts';
import { ROOT, positionsIn, stepsTo, type IssueList, type Place, type Position } from '../issues/index.ts';
import { readXml } from '../xml/read-xml.ts';
import {
  closingOf,
  duplicateKey,
  faultsIn,
  inexactNumber,
  mendJson,
  parseJson,
  treeOf,
  type JsonFlaw,
} from './json-text.ts';
import { locateDocument } from './locate-document.ts';
import { readYaml, yamlIn } from './read-yaml.ts';
import type { Limits } from '../limits.ts';

export interface SyntaxReading {
  readonly value: unknown;
  readonly isXml: boolean;
}

type PositionOf = (offset: number) => Position;

/** Reads the one document in a text; undefined, with an issue, if the text has none or several. */
export function readSyntax(
  text: string,
  wanted: 'json' | 'xml' | 'any',
  limits: Limits,
  issues: IssueList,
): SyntaxReading | undefined {
  const yaml = wanted === 'xml' ? undefined : yamlIn(text);
  const positionOf = positionsIn(text);
  if (yaml !== undefined) {
    const start = text.indexOf(yaml);
    return asJson(readYaml(yaml, issues, (offset) => positionOf(start + offset)));
  }
  const read = wanted === 'xml' ? undefined : parseJson(text, levelsOf(limits));
  if (read !== undefined) return asJson(reportFlaws(read, text, positionOf, issues));
  const location = locateDocument(text, wanted);
  if (location?.syntax === 'xml') return readXmlAt(text, location.start, limits, positionOf, issues);
  const start = location?.start ?? text.search(/\S/);
  if (location !== undefined || (wanted !== 'xml' && /[[{]/.test(text[start]!)))
    return asJson(readJsonAt(text, start, limits, positionOf, issues));
  const code = wanted === 'xml' || text[start] === '<' ? 'unknown-format' : 'invalid-json';
  issues.add('error', code, ROOT, () => ({
    message: `There is no plan in this text, which begins with ${quote(text.trimStart())}. Write { "goal": "...", "plan": { ... } }, a list of steps, or <plan> ... </plan>.`,
    expected: 'a plan',
    ...positionOf(start),
  }));
  return undefined;
}

/** Maximum levels of JSON. A level of nodes takes two levels of JSON, and a node can contain a value. */
function levelsOf({ depth, valueDepth }: Limits): number {
  return 2 * depth + valueDepth + 8;
}

function asJson(read: { readonly value: unknown } | undefined): SyntaxReading | undefined {
  return read && { value: read.value, isXml: false };
}

function readXmlAt(
  text: string,
  start: number,
  limits: Limits,
  positionOf: PositionOf,
  issues: IssueList,
): SyntaxReading | undefined {
  const read = readXml(text, start, limits, issues);
  if (read === undefined) return undefined;
  if (reportNext(text, read.end, positionOf, issues)) return undefined;
  reportSurroundings(
    text.slice(0, start).replace(/^\s*<\?xml[^>]*\?>/i, ''),
    text.slice(read.end),
    positionOf,
    read.end,
    issues,
  );
  return { value: read.value, isXml: true };
}

function readJsonAt(
  text: string,
  start: number,
  limits: Limits,
  positionOf: PositionOf,
  issues: IssueList,
): { readonly value: unknown } | undefined {
  const { end, tooDeep } = closingOf(text, start, levelsOf(limits));
  if (tooDeep !== undefined) {
    issues.add('error', 'too-deep', ROOT, () => {
      const at = positionOf(tooDeep);
      return {
        message: `At ${whereIs(at)} the document has more levels of lists and objects than a plan may have. Make it flatter.`,
        expected: 'fewer levels',
        ...at,
      };
    });
    return undefined;
  }
  if (end === undefined) {
    // A closing fence or tag cannot be part of a JSON document, so the document ends before it.
    const after = text.slice(start).search(/^(?:`{3}|~{3}|<\/)/m);
    const at = positionOf(after < 0 ? text.length : start + after);
    issues.add('error', 'truncated-document', ROOT, () => ({
      message: `The document ends at ${whereIs(at)} before it is complete. Supply the rest of it.`,
      expected: 'the rest of the document',
      got: 'the end of the text',
      ...at,
    }));
    return undefined;
  }
  if (reportNext(text, end, positionOf, issues)) return undefined;
  const json = text.slice(start, end);
  reportSurroundings(text.slice(0, start), text.slice(end), positionOf, end, issues);
  const read = parseJson(json, Infinity);
  if (read !== undefined) return reportFlaws(read, json, (offset) => positionOf(start + offset), issues);
  const faults = faultsIn(json);
  const repaired = mendJson(json, faults);
  for (const { offset, what } of repaired === undefined ? faults.slice(0, 1) : faults) {
    const [severity, code] = repaired === undefined ? (['error', 'invalid-json'] as const) : MENDED;
    issues.add(severity, code, ROOT, () => {
      const at = positionOf(start + offset);
      const got = quote(/^(?:\w+|.|$)/su.exec(json.slice(offset))![0]);
      const rest = repaired === undefined ? 'Mend it.' : 'It is read as if it were; mend it there.';
      const message = `The document is not JSON: at ${whereIs(at)} stands ${got} (${what}). ${rest}`;
      return { message, expected: what, got, ...at };
    });
  }
  return repaired === undefined ? undefined : reportFlaws(parseJson(repaired, Infinity)!, repaired, undefined, issues);
}

const MENDED = ['warning', 'repaired-syntax'] as const;

function whereIs({ line, column }: Position): string {
  return `line ${line}, column ${column}`;
}

const PLAN_KEY = /"(?:goal|objective|plan|steps)"\s*:|^<plan/i;

const YAML_PLAN = /^(?:`{3}|~{3})ya?ml[^\n]*\n[ \t]*(?:goal|objective|plan|steps)[ \t]*:/im;

/** Whether another document follows: a plan anywhere, or an object or list directly after the first. Reports it. */
function reportNext(text: string, end: number, positionOf: PositionOf, issues: IssueList): boolean {
  const next =
    /^[\s,;]*[{[]/.exec(text.slice(end, end + 100)) !== null
      ? { start: end + text.slice(end).search(/[{[]/) }
      : locateDocument(text, 'any', end);
  const isPlan = next !== undefined && (!('syntax' in next) || PLAN_KEY.test(text.slice(next.start, next.start + 300)));
  const fenced = isPlan ? undefined : YAML_PLAN.exec(text.slice(end));
  const other = isPlan ? next.start : fenced ? end + fenced.index : undefined;
  if (other !== undefined) {
    issues.add('error', 'several-documents', ROOT, () => ({
      message: 'The text has more than one document, and it cannot be told which one counts. Send one plan.',
      expected: 'one document',
      ...positionOf(other),
    }));
  }
  return other !== undefined;
}

/** The value, with its problems as issues. They have positions only if the text was not repaired. */
function reportFlaws(
  { value, flaws }: { readonly value: unknown; readonly flaws: readonly JsonFlaw[] },
  json: string,
  positionOf: PositionOf | undefined,
  issues: IssueList,
): { readonly value: unknown } {
  for (const { code, place, offset, text } of flaws) {
    const isKey = code === 'duplicate-key';
    const detail = () => ({ ...(isKey ? duplicateKey(text) : inexactNumber(text)), ...positionOf?.(offset) });
    issues.add(isKey ? 'error' : 'warning', code, place, detail);
  }
  if (positionOf !== undefined)
    issues.locateBy((places) => {
      const offsetOf = offsetsIn(json);
      return places.map((place) => offsetOf && positionOf(offsetOf(place)));
    });
  return { value };
}

/** Finds offsets in a JSON text: where a member's key is or, if a field is missing, where its parent is. */
function offsetsIn(json: string): ((place: Place) => number) | undefined {
  const root = treeOf(json);
  if (root === undefined) return undefined;
  return (place) => {
    let node: Node = root;
    let { offset } = root;
    for (const step of stepsTo(place)) {
      const isNamed = (each: Node) => each.children?.[0]?.value === step;
      const next = typeof step === 'number' ? node.children?.[step] : node.children?.findLast(isNamed);
      if (next === undefined) break;
      ({ offset } = next);
      node = next.type === 'property' ? next.children![1]! : next;
    }
    return offset;
  };
}

function reportSurroundings(
  before: string,
  after: string,
  positionOf: PositionOf,
  end: number,
  issues: IssueList,
): void {
  const parts = [
    isBlank(before) ? '' : `${describeValue(before.trim())} before it`,
    isBlank(after) ? '' : `${describeValue(after.trim())} after it`,
  ].filter((part) => part !== '');
  if (parts.length === 0) return;
  issues.add('warning', 'surrounding-text', ROOT, () => ({
    message: `Text around the document was taken off: ${parts.join(' and ')}. Send the document alone.`,
    ...positionOf(isBlank(before) ? end : 0),
  }));
}

function isBlank(text: string): boolean {
  return /^[ \t\r\n]*$/.test(text);
}
