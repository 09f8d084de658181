/**
 * A grammar of llama.cpp (GBNF) for a JSON Schema: members in the order of the schema, those that are not required may be
 * left out, and no space between them. The schemas that are sent to models have no other keywords than these:
 * `type`, `const`, `enum`, `anyOf`, `properties`, `required`, `additionalProperties`, `items`, and the bounds on lists and
 * texts. A keyword beyond them is passed over: the reply is checked against the whole schema where it is read.
 */

const BASE = String.raw`
char ::= [^"\\\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})
string ::= "\"" char* "\""
integer ::= "-"? ("0" | [1-9] [0-9]{0,14})
number ::= integer ("." [0-9]{1,15})? ([eE] [-+]? [0-9]{1,2})?
boolean ::= "true" | "false"
null ::= "null"
value ::= object | array | string | number | boolean | null
object ::= "{" (string ":" value ("," string ":" value)*)? "}"
array ::= "[" (value ("," value)*)? "]"
`;
const TYPES = ['string', 'integer', 'number', 'boolean', 'null', 'object', 'array'];

/**
 * @param {unknown} schema
 * @example schemaGrammar({ type: 'object', properties: { name: { type: 'string' } }, required: ['name'] });
 */
export function schemaGrammar(schema) {
  /** @type {Map<string, string>} */
  const rules = new Map();
  const root = expressionOf(schema, rules);
  const named = [...rules].map(([rule, name]) => `${name} ::= ${rule}\n`);
  return `root ::= ${root}\n${named.join('')}${BASE}`;
}

/** llama.cpp multiplies the repetitions within a rule, and has a bound on them: each has a rule of its own. */
function ruleOf(/** @type {string} */ rule, /** @type {Map<string, string>} */ rules) {
  if (!rules.has(rule)) rules.set(rule, `rule${rules.size + 1}`);
  return `${rules.get(rule)}`;
}

/** @param {any} schema @param {Map<string, string>} rules @returns {string} */
function expressionOf(schema, rules) {
  if (schema === null || typeof schema !== 'object') return 'value';
  if ('const' in schema) return literal(schema.const);
  if (Array.isArray(schema.enum)) return anyOf(schema.enum.map(literal));
  if (Array.isArray(schema.anyOf))
    return anyOf(schema.anyOf.map((/** @type {unknown} */ one) => expressionOf(one, rules)));
  const types = [schema.type ?? []].flat().filter((type) => TYPES.includes(type));
  return types.length === 0 ? 'value' : anyOf(types.map((type) => typed(type, schema, rules)));
}

/** @param {string} type @param {any} schema @param {Map<string, string>} rules */
function typed(type, schema, rules) {
  if (type === 'object' && schema.properties !== undefined) {
    return `"{" ${membersOf(Object.entries(schema.properties), schema.required ?? [], rules)} "}"`;
  }
  if (type === 'array' && schema.items !== undefined)
    return ruleOf(listOf(ruleOf(expressionOf(schema.items, rules), rules), schema), rules);
  const { minLength = 0, maxLength } = schema;
  if (type !== 'string' || (minLength === 0 && maxLength === undefined)) return type;
  return ruleOf(`"\\"" char{${minLength},${maxLength ?? ''}} "\\""`, rules);
}

/** @param {string} item @param {{ readonly minItems?: number, readonly maxItems?: number }} bounds */
function listOf(item, { minItems = 0, maxItems }) {
  if (maxItems === 0) return '"[]"';
  const more = `{${Math.max(minItems - 1, 0)},${maxItems === undefined ? '' : maxItems - 1}}`;
  const items = `${item} ("," ${item})${more}`;
  return `"[" ${minItems === 0 ? `(${items})?` : items} "]"`;
}

/**
 * The first member has no comma before it, whichever it is.
 * @param {readonly (readonly [string, unknown])[]} members @param {readonly string[]} required
 * @param {Map<string, string>} rules @returns {string}
 */
function membersOf(members, required, rules) {
  const [first, ...rest] = members;
  if (first === undefined) return '';
  const written = (/** @type {readonly [string, unknown]} */ [name, schema]) =>
    `${literal(name)} ":" ${expressionOf(schema, rules)}`;
  const behind = rest.map((one) => (required.includes(one[0]) ? `"," ${written(one)}` : `("," ${written(one)})?`));
  const begun = [written(first), ...behind].join(' ');
  if (required.includes(first[0])) return begun;
  const others = membersOf(rest, required, rules);
  const mayBeEmpty = !members.some(([name]) => required.includes(name));
  return `(${others === '' ? begun : `${begun} | ${others}`})${mayBeEmpty ? '?' : ''}`;
}

/** @param {readonly string[]} expressions */
function anyOf(expressions) {
  return expressions.length === 1 ? `${expressions[0]}` : `(${expressions.join(' | ')})`;
}

/** The JSON text of a value, as the grammar quotes it. @param {unknown} value */
function literal(value) {
  return `"${JSON.stringify(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
