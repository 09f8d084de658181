import { briefJson } from './text/index.ts';

export type StepNames = ReadonlyMap<string, string>;

export interface ResultName {
  readonly written: string;
  readonly key: string | undefined;
  /** The name of the step as written. If no step has it, the issue quotes it. */
  readonly name: string;
  /**
   * How a text names a result: `own` is result_from_step_KEY, `words` is "output of step a". `unclear`: `$1` may be a
   * price, and `@a` a person. `relative`: by position, such as `{{previous}}`, or `steps[1]`, which counts from 0 or
   * from 1. `nothing`: braces without the name of a step.
   */
  readonly notation: 'own' | 'foreign' | 'words' | 'unclear' | 'nothing' | 'relative';
  readonly hasPath: boolean;
  readonly isWhole: boolean;
}

const NAME = String.raw`[\p{L}\p{N}_]+(?:-[\p{L}\p{N}_]+)*`;
const PATH = String.raw`(?:\.[\p{L}_][\p{L}\p{N}_]*|\[[^\][]{0,50}\]|\(["'][^"']{0,50}["']\))*`;
const OWN = new RegExp(`^(?:results?|outputs?)[_-]?(?:from|of)[_-]?(?:step|task|node)[_-]?(?![_-])(${NAME})`, 'iu');
const FOREIGN = new RegExp(
  [
    String.raw`\$?\{\{[{#=]?[^{}]{1,200}[}#]?\}\}|[$#%@]\{[^{}]{1,200}\}|\{[\p{L}_$][^{}"',;]{0,100}\}`,
    String.raw`\$\([^()]{1,200}\)${PATH}|<%[^%<>]{1,200}%>|\[\[[^\][]{1,100}\]\]|\{%[^%{}]{1,200}%\}|^\s*\{\d+\}\s*$`,
    String.raw`(?:\$\[|\(\(|<<)\s*${NAME}${PATH}\s*(?:\]|\)\)|>>)|%${NAME}${PATH}%|%\(${NAME}\)s`,
    String.raw`<[\p{L}_][^<>]{0,100}>(?:-\d+)?|(?<![\p{L}\p{N}/])(?:[$@]\.?${NAME}|#E\d+(?![\p{L}\p{N}]))${PATH}`,
    String.raw`\b(?:results?|outputs?)[_-]?(?:from|of)[_-]?(?:step|task|node)[_-]?(?![_-])${NAME}${PATH}`,
    String.raw`\b(?:steps?|tasks?|nodes?|outputs?|results?)(?:[.:]${NAME}|\[(?:\d+|["']${NAME}["'])\])${PATH}`,
    String.raw`\b(?:state|context|ctx|inputs)\[["']${NAME}["']\]${PATH}|^\s*(?:state|context|ctx)\.${NAME}${PATH}\s*$`,
    String.raw`^\s*(?:get_?)?(?:outputs?|results?|ref)\(["']?${NAME}["']?\)${PATH}\s*$|#/(?:steps|tasks)(?:/${NAME})+`,
    String.raw`^\s*${NAME}(?:\.|->)(?:outputs?|results?)${PATH}\s*$|\[${NAME}\.(?:outputs?|results?)${PATH}\]`,
    String.raw`\b(?:outputs?|results?) (?:of|from) (?:the )?(?:steps?|tasks?|nodes?) ["'#]?${NAME}`,
  ].join('|'),
  'giu',
);
const AROUND =
  /^(?:steps?|tasks?|nodes?|needs|jobs|dependencies|(?:get_?)?(?:outputs?|results?)|context|ctx|data|state|vars?|variables|inputs?|from|of|the|ref|ti|task_instance|xcom_pull|task_ids|generated|resource)$/i;
const OF_STEPS = /^(?:steps?|tasks?|nodes?|needs|jobs|dependencies|outputs?|results?)$/i;
/** Prefixes and suffixes that authors add to a step's name to name its result. */
const ADDED = /^(?:outputs?|results?)_(?:of_|from_)?|_(?:outputs?|results?)$/i;
const RESULT = /^(?:outputs?|results?|return_value)$/i;
const RELATIVE = /^(?:inputs?|prev(?:ious)?|last|left|right|json|item)(?:_(?:step|output|result)s?)?$/i;
/** Matches a call only at the start of a word, since it would otherwise take quadratic time. */
const CALL = /(?<![\p{L}\p{N}_])([\p{L}_][\p{L}\p{N}_]*)\(/gu;
const TOKEN = new RegExp(`["'\`]([^"'\`]+)["'\`]|${NAME}`, 'gu');

/** Checks quickly whether a text, or the JSON of a value, may contain the name of a result. */
export function mayNameResult(text: string): boolean {
  return /\{[^"}]|[$#@%<]|\[\[|\w\[|\(\(|(?:state|context|ctx)\.|step|task|node|output|result|ref["(]/i.test(text);
}

export function stepKeyOf(name: string, names: StepNames): string | undefined {
  const number = /^(?:(?:steps?|tasks?|nodes?|resource|E)?[ _#-]*)(\d+)$/i.exec(name)?.[1] ?? '';
  return (
    names.get(name) || names.get(name.toLowerCase()) || names.get(number) || names.get(`step_${number}`) || undefined
  );
}

export function keyNamed(text: string, names: StepNames): string | undefined {
  return stepKeyOf(text, names) ?? resultNames(text, names)[0]?.key;
}

export function resultNames(text: string, names: StepNames): readonly ResultName[] {
  return [...text.matchAll(FOREIGN)].flatMap(([matched]) => resultName(matched.trim(), text.trim(), names) ?? []);
}

function resultName(written: string, text: string, names: StepNames): ResultName | undefined {
  const isBraces = /^(?:\$?\{\{|\$\[|\(\(|<<)/.test(written);
  const isWhole = written === text;
  const functions = [...written.matchAll(CALL)].map(([, name]) => name!);
  const inner = written.replace(/^[^\p{L}\p{N}_"']+|\|.*/gu, '').replace(CALL, ' ');
  const tokens = [...inner.matchAll(TOKEN)].map(([token, quoted]) => quoted ?? token);
  const own = tokens.findIndex((token) => OWN.test(token));
  const stepOf = (token: string) => stepKeyOf(token, names) ?? stepKeyOf(token.replace(ADDED, ''), names);
  const isName = (token: string) => stepOf(token) !== undefined;
  const plain = tokens.findIndex((token) => !AROUND.test(token) && isName(token));
  const at = own >= 0 ? own : plain >= 0 ? plain : tokens.findIndex(isName);
  const isFound = own >= 0 || (at >= 0 && tokens.slice(0, at).every((token) => AROUND.test(token)));
  const [first = ''] = tokens;
  const isExplicit = tokens.length > 1 && (OF_STEPS.test(first) || RESULT.test(tokens.at(-1)!));
  const name = isFound ? tokens[at]!.replace(OWN, '$1') : (tokens.find((token) => !AROUND.test(token)) ?? first);
  const key = isFound ? stepOf(name) : undefined;
  const isResult = (token: string) => RESULT.test(token) || stepKeyOf(token, names) === key;
  const isPart = written.includes('|') || !functions.every((each) => AROUND.test(each));
  const made = { written, key, name, isWhole, hasPath: isFound && (isPart || !tokens.slice(at + 1).every(isResult)) };
  const isTag = /^<[^<]/.test(written) && !isExplicit && !/\d/.test(name);
  if (own >= 0) return { ...made, notation: written.startsWith('result_from_step_') ? 'own' : 'foreign' };
  if (/(?:steps|tasks|nodes|outputs|results)\[\d/i.test(written))
    return isWhole || isBraces ? { ...made, key: undefined, isWhole: true, notation: 'relative' } : undefined;
  if (isFound && /^(?:outputs?|results?) /i.test(written)) return { ...made, notation: 'words' };
  if (isFound && (isTag || /^(?:\$\d+|\{\d+\}|%[^{.(]*%|@[^{.(]*)$/.test(written)))
    return isWhole ? { ...made, notation: 'unclear' } : undefined;
  if (isFound) return { ...made, notation: 'foreign' };
  if (RELATIVE.test(first) && (isBraces || (isWhole && /^[${]/.test(written))))
    return { ...made, notation: 'relative' };
  if (isWhole && isExplicit && /^(?:[^\p{L}\p{N}_@$#]|\$[{[]|steps?[.:])/u.test(written))
    return { ...made, notation: 'foreign' };
  return isBraces ? { ...made, notation: 'nothing' } : undefined;
}

/** The keys of an object that represents a result, such as `{ "from_step": "a" }`. */
const OF_OBJECT =
  /^(?:\$?ref|\$?step|(?:from|source)_?step|step_?(?:id|ref)|(?:result|output)_?(?:of|from)|from_?task)$/i;
const PART = /^(?:output|field|key|path|property|outputs|result|type)$/i;

export function objectResult(value: { readonly [key: string]: unknown }, names: StepNames): ResultName | undefined {
  const keys = Object.keys(value);
  if (keys.length > 3) return undefined;
  const [key = '', ...others] = keys.filter((each) => !PART.test(each));
  const named = value[key];
  const isText = typeof named === 'string' || typeof named === 'number';
  if (others.length > 0 || !OF_OBJECT.test(key) || !isText) return undefined;
  const inner = String(named).replace(/^.*[/.](?=[^/.]+$)/, '');
  const found = keyNamed(String(named), names) ?? stepKeyOf(inner, names);
  const isSure = /from|source|result|output/i.test(key);
  if (found === undefined ? !isSure : !isSure && typeof named === 'number') return undefined;
  const written = briefJson(value);
  return { written, key: found, name: inner, notation: 'foreign', hasPath: keys.length > 1, isWhole: true };
}
