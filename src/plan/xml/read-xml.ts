import type { Element } from 'domhandler';
import { quote } from '../text/index.ts';
import { isNothing, readDependencyText } from '../dependency-text.ts';
import { argumentsOf } from '../foreign-keys.ts';
import { NAMES, keysOf } from '../names.ts';
import { ROOT, below, positionsIn } from '../issues/index.ts';
import { childElements, readElements, type XmlElements, attributeText, readNested, elementText } from './elements.ts';
import { isStepKey } from '../steps/index.ts';
import type { JsonValue } from '../compiled-plan.ts';
import type { IssueCode, Severity, IssueList, Place } from '../issues/index.ts';
import type { Limits } from '../limits.ts';

export interface XmlReading {
  readonly value: { readonly [key: string]: unknown };
  readonly end: number;
}

const ARGUMENTS: ReadonlySet<string> = new Set(
  [...NAMES.step.arguments.keys, ...NAMES.step.arguments.foreign].filter((key) => key !== 'input'),
);
const EDGES: ReadonlySet<string> = new Set(NAMES.step.dependencies.foreign);

const PLAN_KEYS = keysOf('list');

type Fields = { [key: string]: unknown };

/** Reads a plan in Calute's XML from this offset: `<plan>` with `<objective>`, `<complexity>` and `<step>` elements. */
export function readXml(text: string, start: number, limits: Limits, issues: IssueList): XmlReading | undefined {
  const positions = positionsIn(text);
  const positionOf = (offset: number) => positions(start + offset);
  const prologue = /<!(?:DOCTYPE|ENTITY)/i.exec(text.slice(0, start));
  if (prologue !== null) {
    return refuse(
      'forbidden-xml',
      'A document type is not allowed before a plan. Take it out.',
      prologue.index - start,
    );
  }
  const elements = readElements(text.slice(start), limits.nodes * ELEMENTS_PER_STEP);
  const { root, fault, end, open } = elements;
  if (fault !== undefined) return refuse(fault.code, fault.message, fault.offset);
  if (root === undefined || !losesNoStep(elements)) {
    const inside = `The document ends inside <${open.at(-1) ?? 'plan'}>, before it is complete.`;
    return refuse('truncated-document', `${inside} Supply the rest of it.`, end);
  }
  if (open.length > 0) {
    repaired(ROOT, 'the document ends before </plan>, after a whole step; its end was added', end);
  }
  const children = childElements(root);
  const wrappers = children.filter(({ name }) => name === 'steps');
  const parts = children.flatMap((each) => (wrappers.includes(each) ? childElements(each) : [each]));
  const steps = parts.filter(({ name }) => name === 'step');
  issues.locateBy((places) => places.map((place) => positionOf(elementOf(place).startIndex!)));
  const value: Fields = {};
  for (const name of Object.keys(root.attribs))
    unread(below(ROOT, name), `The attribute ${quote(name)} of <plan> is not read.`, root.startIndex!);
  unreadText(root, ROOT);
  for (const wrapper of wrappers) {
    const what = 'the steps stand inside <steps>; they are read as if they stood in <plan>';
    repaired(below(ROOT, 'steps'), what, wrapper.startIndex!);
    unreadText(wrapper, ROOT);
  }
  for (const part of parts) {
    const { name, startIndex } = part;
    const offset = startIndex!;
    if (name === 'plan') {
      add('error', 'invalid-xml', below(ROOT, name), 'A plan stands inside a plan. Send one of them.', offset);
    } else if (name !== 'step')
      setField(
        value,
        name,
        (PLAN_KEYS.includes(name) ? textField : nestedValue)(part, below(ROOT, name)),
        ROOT,
        offset,
      );
  }
  const read = steps.map((step, index) => readStepElement(step, below(below(ROOT, 'steps'), index)));
  return { value: { ...value, steps: read }, end: start + end };

  function readStepElement(element: Element, place: Place): Fields {
    const step: Fields = {};
    unreadText(element, place);
    for (const [name, written] of Object.entries(element.attribs)) {
      const field = name === 'id' ? 'step_id' : name;
      const content = checkText(attributeText(written, element.startIndex!), below(place, field));
      if (field !== 'step_id')
        repaired(
          below(place, field),
          `${quote(name)} is an attribute of the step; it is read as if it were an element`,
          element.startIndex!,
        );
      setField(
        step,
        field,
        field === 'dependencies' ? dependenciesOf(content, below(place, field), element.startIndex!) : content,
        place,
        element.startIndex!,
      );
    }
    for (const child of childElements(element)) {
      const { name } = child;
      const offset = child.startIndex!;
      const inside = below(place, name);
      if (ARGUMENTS.has(name)) setField(step, name, readArguments(child, inside), place, offset);
      else if (EDGES.has(name)) setField(step, name, readDependencies(child, inside), place, offset);
      else if (name === 'id') setField(step, 'step_id', textField(child, inside), place, offset);
      // A blank executor becomes '', so that the error can list the valid names.
      else if (name === 'agent' || name === 'capability')
        setField(step, name, textField(child, inside) ?? '', place, offset);
      // The value of an unknown element is checked like that of an unknown key in JSON.
      else setField(step, name, (isStepKey(name) ? textField : nestedValue)(child, inside), place, offset);
    }
    return step;
  }

  function readArguments(element: Element, place: Place): Fields {
    const fields: Fields = {};
    const { text: content } = elementText(element);
    const isBlank = content === '' || isNothing(content);
    const written = isBlank ? undefined : argumentsOf(content);
    if (written !== undefined) {
      repaired(place, 'the arguments are JSON; they are read as if each were an element', element.startIndex!);
      for (const [name, member] of Object.entries(written)) setField(fields, name, member, place, element.startIndex!);
    } else if (!isBlank) {
      lost(place, `The text ${quote(content)} of <${element.name}> names no argument.`, element.startIndex!);
    }
    for (const [name, attribute] of Object.entries(element.attribs)) {
      const inside = below(place, name);
      repaired(inside, `${quote(name)} is an attribute; it is read as if it were an element`, element.startIndex!);
      setField(
        fields,
        name,
        checkText(attributeText(attribute, element.startIndex!), inside),
        place,
        element.startIndex!,
      );
    }
    for (const child of childElements(element)) {
      const inside = below(place, child.name);
      setField(fields, child.name, nestedValue(child, inside), place, child.startIndex!);
    }
    return fields;
  }

  function nestedValue(element: Element, place: Place): JsonValue {
    return readNested(element, (each) => checkText(elementText(each), place));
  }

  function readDependencies(element: Element, place: Place): readonly string[] {
    for (const name of Object.keys(element.attribs)) {
      lost(below(place, name), `The attribute ${quote(name)} of <${element.name}> names no step.`, element.startIndex!);
    }
    const own = dependenciesOf(checkText(elementText(element), place), place, element.startIndex!);
    if (childElements(element).length === 0) return own;
    repaired(
      place,
      `each dependency is an element of its own; the list is read as if it were "1,2"`,
      element.startIndex!,
    );
    return [
      ...own,
      ...childElements(element).flatMap((child) =>
        dependenciesOf(checkText(elementText(child), place), place, child.startIndex!),
      ),
    ];
  }

  function dependenciesOf(written: string, place: Place, offset: number): readonly string[] {
    const { ids, isPlain } = readDependencyText(written);
    if (!isPlain) repaired(place, `${quote(written)} is read as the dependencies ${quote(ids.join(','))}`, offset);
    return ids;
  }

  function textField(element: Element, place: Place): string | null {
    for (const name of Object.keys(element.attribs)) {
      const message = `The attribute ${quote(name)} of <${element.name}> is not read.`;
      unread(below(place, name), message, element.startIndex!);
    }
    for (const child of childElements(element))
      unread(
        below(place, child.name),
        `The element <${child.name}> inside <${element.name}> is not read.`,
        child.startIndex!,
      );
    const content = checkText(elementText(element), place);
    return content === '' ? null : content;
  }

  function checkText(
    { text: content, rawAmpersands, fault: wrong }: ReturnType<typeof elementText>,
    place: Place,
  ): string {
    if (wrong !== undefined) add('error', 'invalid-xml', place, wrong.message, wrong.offset);
    for (const offset of rawAmpersands)
      repaired(place, 'stands "&" that begins no known entity; it is kept as it is', offset);
    return content;
  }

  function setField(fields: Fields, name: string, content: unknown, place: Place, offset: number): void {
    if (Object.hasOwn(fields, name)) {
      add(
        'error',
        'duplicate-key',
        below(place, name),
        `<${name}> stands more than once here, and only one can count. Keep one.`,
        offset,
      );
    }
    if (name !== '__proto__') fields[name] = content;
    else Object.defineProperty(fields, name, { value: content, enumerable: true, writable: true, configurable: true });
  }

  function unreadText(element: Element, place: Place): void {
    const { text: content } = elementText(element);
    if (content !== '')
      unread(
        place,
        `The text ${quote(content)} between the elements of <${element.name}> is not read.`,
        element.startIndex!,
      );
  }

  function unread(place: Place, message: string, offset: number): void {
    add('warning', 'unknown-key', place, `${message} Take it out, or put it where it belongs.`, offset);
  }

  /** Reports unread text as an error, since ignoring it would change the plan. */
  function lost(place: Place, message: string, offset: number): void {
    add('error', 'unknown-key', place, `${message} Write an element for each.`, offset);
  }

  function repaired(place: Place, what: string, offset: number): void {
    add('warning', 'repaired-syntax', place, `At line ${positionOf(offset).line} ${what}. Mend it there.`, offset);
  }

  function elementOf(place: Place): Element {
    const path: (string | number)[] = [];
    for (let at = place; at.parent !== null; at = at.parent) path.unshift(at.step);
    const step = path[0] === 'steps' && typeof path[1] === 'number' ? steps[path[1]] : undefined;
    let element = step ?? root!;
    for (const name of path.slice(step === undefined ? 0 : 2)) {
      const child = childElements(element).find((each) => each.name === name);
      if (child === undefined) return element;
      element = child;
    }
    return element;
  }

  function refuse(code: IssueCode, message: string, offset: number): undefined {
    add('error', code, ROOT, message, offset);
  }

  function add(severity: Severity, code: IssueCode, place: Place, message: string, offset: number): void {
    issues.add(severity, code, place, () => ({ message, ...positionOf(offset) }));
  }
}

/** Maximum number of elements for each step. A step has about seven elements and its arguments. */
const ELEMENTS_PER_STEP = 20;

/** Whether an incomplete document has all its steps: it must end after a step or within the closing tags. */
function losesNoStep({ root, open, cutTag, lastClosed }: XmlElements): boolean {
  if (open.length === 0) return true;
  const names = open.join('/');
  if (root === undefined || (names !== 'plan' && names !== 'plan/steps')) return false;
  return (lastClosed === 'step' || lastClosed === 'steps') && /^(?:<\/[a-z]*)?$/.test(cutTag.trim());
}
