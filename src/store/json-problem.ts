/** Levels of arrays and objects; deeper values overflow recursive readers of other programs. */
export const MAX_DEPTH = 256;

/** Why a value is not JSON, with the JSONPath of the place; undefined if it is. An undefined member is no problem. */
export function jsonProblem(value: unknown): string | undefined {
  if (isScalar(value)) return undefined;
  const open: { readonly value: unknown; readonly path: Path | null; readonly depth: number }[] = [
    { value, path: null, depth: 0 },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: here, path, depth } = next;
    if (!isPlain(here)) return `${pathText(path)} is ${kindOf(here)}, which JSON cannot hold.`;
    if (depth === MAX_DEPTH)
      return `${pathText(path)} is nested deeper than ${MAX_DEPTH} levels. Flatten the value, or store it as text.`;
    const children: readonly (readonly [string | number, unknown])[] = Array.isArray(here)
      ? Array.from(here, (child, index) => [index, child] as const)
      : Object.entries(here);
    for (const [step, child] of children)
      if (child !== undefined && !isScalar(child))
        open.push({ value: child, path: { parent: path, step }, depth: depth + 1 });
  }
  return undefined;
}

interface Path {
  readonly parent: Path | null;
  readonly step: string | number;
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    (prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null) &&
    !('toJSON' in value)
  );
}

function kindOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'object') return `an object of class ${value?.constructor?.name ?? 'unknown'}`;
  return value === undefined ? 'undefined' : `a ${typeof value}`;
}

function pathText(path: Path | null): string {
  const steps: string[] = [];
  for (let at = path; at !== null && steps.length < 20; at = at.parent) {
    steps.unshift(typeof at.step === 'number' ? `[${at.step}]` : `[${JSON.stringify(at.step)}]`);
  }
  return steps.length === 20 ? `$…${steps.slice(-8).join('')}` : `$${steps.join('')}`;
}
