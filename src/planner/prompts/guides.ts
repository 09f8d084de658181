import type { Agent, Capability } from '../../capabilities/index.ts';
import { type ResultKind, isRecord } from '../../protocol/index.ts';
import { groupsBy } from '../../plan/index.ts';
import { cutCharacters, oneLine } from '../../plan/text/index.ts';
import { fenced } from './templates.ts';
import type { z } from 'zod';
import { schemaOf } from '../form/index.ts';

/** Maximum characters of all guides in a prompt. 50 capabilities stay within 6,000 tokens. */
const GUIDES_CHARACTERS = 16_000;
const AGENTS_CHARACTERS = 4_000;
const MAX_DESCRIPTION = 300;
const MAX_WHEN = 300;
const MAX_EXAMPLE = 200;
const EXAMPLES = 3;

const GIVES = { set: 'a set', text: 'a text', value: 'a value' } as const satisfies Record<ResultKind, string>;

export function capabilityGuide(capability: Capability, detail: 'all' | 'when' | 'least' = 'all'): string {
  const { name, description, input, output, effect, kind, requires, provides, guide } = capability;
  const lines = [`- ${name}: ${short(description, MAX_DESCRIPTION)}`, `  arguments: ${typeSignature(input)}`];
  if (effect !== 'read') lines.push(`  changes the world (${effect})`);
  if (kind === 'wait') lines.push('  asks a person');
  if (requires.length > 0) lines.push(`  needs: ${requires.join(', ')}`);
  lines.push(`  gives: ${GIVES[output]}${provides.length > 0 ? ` (${provides.join(', ')})` : ''}`);
  if (guide !== undefined && detail !== 'least') lines.push(`  when: ${short(guide.when, MAX_WHEN)}`);
  if (detail === 'all') {
    lines.push(...(guide?.examples ?? []).slice(0, EXAMPLES).map((one) => `  example: ${short(one, MAX_EXAMPLE)}`));
  }
  return lines.join('\n');
}

/**
 * Writes the guides of capabilities. If they are too long, drops all examples, then every `when`, then cuts each guide.
 */
export function capabilityGuides(capabilities: readonly Capability[]): string {
  if (capabilities.length === 0) return '(none)';
  for (const detail of ['all', 'when', 'least'] as const) {
    const text = bySource(capabilities, (one) => capabilityGuide(one, detail));
    if (text.length > GUIDES_CHARACTERS) continue;
    return detail === 'all' ? text : `${text}\n${LEFT_OUT}`;
  }
  const room = Math.floor(GUIDES_CHARACTERS / capabilities.length);
  return `${bySource(capabilities, (one) => cutCharacters(capabilityGuide(one, 'least'), room))}\n${LEFT_OUT}`;
}

/** The guides of the project, then the guides of each third party in a block of untrusted data. */
function bySource(capabilities: readonly Capability[], guide: (one: Capability) => string): string {
  const sources = groupsBy(capabilities, ({ describedBy = '' }) => describedBy);
  const others = [...sources].filter(([source]) => source !== '');
  const blocks = others.map(([source, all]) => fenced(source, all.map(guide).join('\n'), Infinity));
  return [...(sources.get('') ?? []).map(guide), ...blocks].join('\n');
}

const LEFT_OUT = '(Parts of these guides are left out for want of room.)';

export function agentLines(agents: readonly Agent[]): string {
  if (agents.length === 0) return '(none)';
  const lines = agents.map(({ name, description, capabilities }) => {
    const tools = capabilities.map((one) => one.name).join(', ');
    return `- ${name}: ${short(description, MAX_DESCRIPTION)} (${tools === '' ? 'no tools' : tools})`;
  });
  const text = lines.join('\n');
  if (text.length <= AGENTS_CHARACTERS) return text;
  const room = Math.floor(AGENTS_CHARACTERS / agents.length);
  return [...lines.map((line) => cutCharacters(line, room)), LEFT_OUT].join('\n');
}

function short(text: string, max: number): string {
  return cutCharacters(oneLine(text), max);
}

const MAX_SIGNATURE = 200;
const MAX_LEVELS = 4;

export function typeSignature(input: z.ZodType): string {
  return cutCharacters(typeText(schemaOf(input), 0), MAX_SIGNATURE);
}

function typeText(schema: unknown, level: number): string {
  if (!isRecord(schema) || level > MAX_LEVELS) return 'any';
  const { type, enum: names, const: only, anyOf, oneOf, items } = schema;
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(names)) return names.map((name) => JSON.stringify(name)).join(' | ');
  const choice = anyOf ?? oneOf;
  if (Array.isArray(choice)) return choice.map((each) => typeText(each, level + 1)).join(' | ');
  if (type === 'array') return `list of ${typeText(items, level + 1)}`;
  if (type === 'object') return objectType(schema, level);
  if (Array.isArray(type)) return type.map(String).join(' | ');
  return typeof type === 'string' ? type : 'any';
}

function objectType({ properties, required, additionalProperties }: Record<string, unknown>, level: number): string {
  const needed = Array.isArray(required) ? required : [];
  const fields = Object.entries(isRecord(properties) ? properties : {}).map(
    ([name, schema]) => `${name}${needed.includes(name) ? '' : '?'}: ${typeText(schema, level + 1)}`,
  );
  if (isRecord(additionalProperties)) fields.push(`[any name]: ${typeText(additionalProperties, level + 1)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
