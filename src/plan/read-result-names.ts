import { canonicalJson } from './digest/index.ts';
import { quote } from './text/index.ts';
import { below, type IssueCode, type Place, type Severity } from './issues/index.ts';
import { stepKeyOf, mayNameResult, objectResult, resultNames, type ResultName } from './result-names.ts';
import type { JsonValue } from './compiled-plan.ts';
import type { Reading, StepReference } from './plan-reading.ts';

export interface NamingNode {
  readonly reading: Reading;
  /** For a step: its list of references, to which found names are added. For a task in a tree: the id of its input. */
  readonly takes: StepReference[] | { readonly input: unknown };
  /** True for text that people read. The name of a result stays in the text, and the result becomes an input. */
  readonly isText?: boolean;
}

const OWN = /^\s*result_from_step_[\p{L}\p{N}_]+(?:-[\p{L}\p{N}_]+)*\s*$/u;
const KEY = /^[\p{L}\p{N}_]+(?:-[\p{L}\p{N}_]+)*$/u;
const LOOP_KEY = /^\s*step_\d+(?:_\d+)?\s*$/;

export function withResultNames(text: string | undefined, at: Place, node: NamingNode): string | undefined {
  if (text === undefined || !mayNameResult(text)) return text;
  const read = readResultNames(JSON.parse(text) as JsonValue, at, node);
  return read === undefined ? text : canonicalJson(read);
}

export function readWords(text: string | undefined, node: Place, key: string, naming: NamingNode): void {
  if (text !== undefined && mayNameResult(text)) readResultNames(text, below(node, key), { ...naming, isText: true });
}

/** Converts results in other notations to `result_from_step_KEY`; undefined if nothing changes. */
function readResultNames(
  value: JsonValue,
  at: Place,
  { reading, takes, isText = false }: NamingNode,
): JsonValue | undefined {
  const { names, external, issues } = reading;
  let isChanged = false;
  const changed = read(value, at);
  return isChanged ? changed : undefined;

  function read(inside: JsonValue, place: Place): JsonValue {
    if (typeof inside === 'string') return readString(inside, place);
    if (typeof inside !== 'object' || inside === null) return inside;
    const isList = Array.isArray(inside);
    const found = isList ? undefined : objectResult(inside as { readonly [key: string]: unknown }, names);
    if (found !== undefined) return judge(found, place) ?? inside;
    for (const [key, member] of Object.entries(inside)) {
      const memberPlace = below(place, isList ? Number(key) : key);
      if (mayNameResult(key))
        for (const each of resultNames(key, names)) judge({ ...each, isWhole: false }, memberPlace);
      const next = read(member, memberPlace);
      if (next !== member) Object.defineProperty(inside, key, { value: next });
    }
    return inside;
  }

  function readString(text: string, place: Place): JsonValue {
    const written = text.trim();
    if (!isText && LOOP_KEY.test(text) && external.has(written))
      return judge(
        { written, key: written, name: written, notation: 'foreign', hasPath: false, isWhole: true },
        place,
      )!;
    if (!isText && OWN.test(text)) {
      const name = written.slice('result_from_step_'.length);
      if (text !== written)
        flag('note', place, `${quote(text)} is read without the blanks around it.`, 'foreign-reference');
      const own = {
        written,
        key: stepKeyOf(name, names),
        name,
        notation: 'own',
        hasPath: false,
        isWhole: true,
      } as const;
      return judge(own, place) ?? text;
    }
    const found = mayNameResult(text) ? resultNames(text, names) : [];
    return found.reduce<JsonValue>((before, each) => judge(each, place) ?? before, text);
  }

  function judge(found: ResultName, place: Place): string | undefined {
    const { written, key, name, notation, hasPath, isWhole } = found;
    if (notation === 'own' && isWhole && !hasPath && Array.isArray(takes) && (key === undefined || names.has(name))) {
      takes.push({ name: key ?? name, from: 'text', place });
      return undefined;
    }
    const text = quote(written);
    const own = `result_from_step_${key ?? 'KEY'}`;
    if (notation === 'nothing')
      return flag('warning', place, `${text} names nothing in this plan, and stays as it is. A result is ${own}.`);
    if (!Array.isArray(takes)) return judgeInTree(found, takes.input, place);
    if (notation === 'words' && !isText)
      return flag('warning', place, `${text} stays as it is. To take the result, make the whole argument "${own}".`);
    if (notation === 'relative') {
      const severity = isWhole && !isText ? 'error' : 'warning';
      return flag(severity, place, `${text} does not say which result it is, and stays as it is. Write ${own}.`);
    }
    if (notation === 'unclear') {
      const words = `${text} may name a result. Write "${own}" for the result of that step, or more words around the text`;
      return isText ? undefined : flag('error', place, `${words}, such as "${written} USD", if it is none.`);
    }
    if (isText || (isWhole && !hasPath)) {
      takes.push({ name: key ?? name, from: 'text', place, ...(notation === 'words' && { isLoose: true }) });
      if (isText || key === undefined) return undefined;
      if (!KEY.test(key)) return flag('error', place, `${text} is the result of ${quote(key)}. ${NO_WORD}`);
      isChanged = true;
      if (notation === 'foreign')
        flag('warning', place, `${text} is read as "${own}". Write that.`, 'foreign-reference');
      return own;
    }
    const why = hasPath ? 'names a part of a result' : 'stands inside a text';
    return flag('error', place, `${text} ${why}, where no result is put. Make the whole argument "${own}"${WAYS_OUT}`);
  }

  function judgeInTree({ written, key, notation, isWhole }: ResultName, input: unknown, place: Place): undefined {
    const isInput = input !== undefined && (notation === 'relative' || key === input);
    if ((isText && isInput) || notation === 'words' || (notation === 'unclear' && (isText || !isWhole))) return;
    flag('error', place, `${quote(written)} names a result, and a tree puts none into words. ${IN_A_TREE}`);
  }

  function flag(severity: Severity, place: Place, message: string, code?: IssueCode): undefined {
    issues.add(severity, code ?? 'unread-reference', place, () => ({ message }));
  }
}

const NO_WORD = 'Give that step a key of letters, digits and "_", and write result_from_step_KEY.';
const WAYS_OUT =
  ', let an earlier step make the text or the part from it, or, if the words themselves are meant, give that step another key.';
const IN_A_TREE =
  'Put the node whose result the task takes under its "input"; or write a list of steps, where a whole argument can be result_from_step_KEY.';
