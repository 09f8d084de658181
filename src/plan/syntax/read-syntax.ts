/** The one document in a text: found, read in its syntax, and mended where it can be. */

import { describeValue, quote } from '../text/index.ts';
import { ROOT, LineIndex, positionOf } from '../issues/index.ts';
import { readXml } from '../xml/index.ts';
import { FEWER_LEVELS, scanJson } from '../json-scan.ts';
import { locateDocument } from './locate-document.ts';
import { locatePlaces } from './locate-places.ts';
import { jsonValue } from './read-document.ts';
import { readYaml } from './read-yaml.ts';
import { repairJson } from './repair-json.ts';
import { scanLooseJson } from './scan-loose-json.ts';
import type { IssueList } from '../issues/index.ts';
import type { Limits } from '../limits.ts';
import type { JsonScan } from '../json-scan.ts';

/** The value of a text, as JSON would hold it; XML always gives a list of steps. */
export interface SyntaxReading {
  readonly value: unknown;
  readonly isXml: boolean;
}

/** Reads the one document in a text, whatever stands around it. Undefined, with an issue, when there is none. */
export function readSyntax(
  text: string,
  wanted: 'json' | 'xml' | 'yaml' | 'any',
  limits: Limits,
  issues: IssueList,
): SyntaxReading | undefined {
  if (wanted === 'yaml') return asJson(readYaml(text, issues));
  const scan = wanted === 'xml' ? undefined : scanJson(text, levelsOf(limits));
  if (scan !== undefined && scan.fault === undefined) {
    locateBy(text, 0, text, issues);
    return asJson(jsonValue(text, scan, issues));
  }
  const isDeep = scan?.fault?.expected === FEWER_LEVELS;
  const location = isDeep ? undefined : locateDocument(text, wanted);
  if (location?.syntax === 'json') return asJson(readJsonAt(text, location.start, limits, issues));
  if (location?.syntax === 'xml') return readXmlAt(text, location.start, limits, issues);
  if (scan !== undefined && !text.trimStart().startsWith('<')) return asJson(jsonValue(text, scan, issues));
  issues.add('error', 'unknown-format', ROOT, () => ({
    message: `There is no plan in the text, which begins with ${quote(text.trimStart())}. Write { "goal": "...", "plan": { ... } }, a list of steps, or <plan> ... </plan>.`,
    expected: 'a plan',
    ...positionOf(text, text.length - text.trimStart().length),
  }));
  return undefined;
}

/** A level of nodes takes two of lists and objects, and a node can hold a value. */
function levelsOf({ depth, valueDepth }: Limits): number {
  return 2 * depth + valueDepth + 8;
}

function asJson(read: { readonly value: unknown } | undefined): SyntaxReading | undefined {
  return read && { value: read.value, isXml: false };
}

function readXmlAt(text: string, start: number, limits: Limits, issues: IssueList): SyntaxReading | undefined {
  const read = readXml(text, start, limits, issues);
  if (read === undefined) return undefined;
  const next = locateDocument(text, 'xml', read.end);
  if (next !== undefined) {
    issues.add('warning', 'several-documents', ROOT, () => ({
      message: 'The text has more than one plan; the first one outside a think block counts. Send one plan.',
      ...positionOf(text, next.start),
    }));
  }
  const before = text.slice(0, start).replace(/^\s*<\?xml[^>]*\?>/i, '');
  reportSurroundings(before, next === undefined ? text.slice(read.end) : '', text, read.end, issues);
  return { value: read.value, isXml: true };
}

function readJsonAt(
  text: string,
  start: number,
  limits: Limits,
  issues: IssueList,
): { readonly value: unknown } | undefined {
  const rest = text.slice(start);
  const scan = scanJson(rest, levelsOf(limits));
  const { fault } = scan;
  if (fault?.expected === FEWER_LEVELS) return jsonValue(rest, scan, issues, text, start);
  const isClosed = fault === undefined || fault.expected === 'end';
  const end = isClosed ? (fault?.offset ?? rest.length) : scanLooseJson(rest, 0).end;
  if (end === undefined) return refuseOpen(text, rest, scan, start, issues);
  const json = rest.slice(0, end);
  const next = locateDocument(text, 'any', start + end);
  if (next !== undefined && PLAN_KEY.test(text.slice(next.start, next.start + 300))) {
    issues.add('error', 'several-documents', ROOT, () => ({
      message: 'The text has more than one document, and it cannot be told which one counts. Send one plan.',
      expected: 'one document',
      ...positionOf(text, next.start),
    }));
    return undefined;
  }
  reportSurroundings(text.slice(0, start), rest.slice(end), text, start + end, issues);
  const inner = isClosed ? scanJson(json) : scan;
  if (inner.fault === undefined) {
    locateBy(text, start, json, issues);
    return jsonValue(json, inner, issues, text, start);
  }
  const repair = repairJson(json);
  if (!repair.ok) return jsonValue(json, inner, issues, text, start);
  for (const { offset, what } of repair.repairs) {
    issues.add('warning', 'repaired-syntax', ROOT, () => {
      const position = positionOf(text, start + offset);
      return {
        message: `The document is not JSON: at line ${position.line}, column ${position.column} ${what}. Mend it there.`,
        ...position,
      };
    });
  }
  return jsonValue(repair.text, scanJson(repair.text), issues);
}

const PLAN_KEY = /"(?:goal|objective|plan|steps)"\s*:|^<plan/i;

/** A fence or a tag that closes cannot be part of a JSON document: the document was cut before it. */
function refuseOpen(text: string, rest: string, scan: JsonScan, start: number, issues: IssueList): undefined {
  const fault = scan.fault!;
  const truncated = fault.truncated || /^(?:`{3}|~{3}|<\/)/.test(rest.slice(fault.offset));
  jsonValue(rest, { ...scan, fault: { ...fault, truncated } }, issues, text, start);
}

function locateBy(text: string, start: number, json: string, issues: IssueList): void {
  issues.locateBy((places) => {
    const lines = new LineIndex(text);
    return locatePlaces(json, places).map((offset) =>
      offset === undefined ? undefined : lines.positionOf(start + offset),
    );
  });
}

/** Text around a document is no part of it: fences, prose, thoughts of a model. */
function reportSurroundings(before: string, after: string, text: string, end: number, issues: IssueList): void {
  const parts = [
    isBlank(before) ? '' : `${describeValue(before.trim())} before it`,
    isBlank(after) ? '' : `${describeValue(after.trim())} after it`,
  ].filter((part) => part !== '');
  if (parts.length === 0) return;
  issues.add('warning', 'surrounding-text', ROOT, () => ({
    message: `Text around the document was taken off: ${parts.join(' and ')}. Send the document alone.`,
    ...positionOf(text, isBlank(before) ? end : 0),
  }));
}

/** Whether a text has only the white space of JSON. */
function isBlank(text: string): boolean {
  return /^[ \t\r\n]*$/.test(text);
}
