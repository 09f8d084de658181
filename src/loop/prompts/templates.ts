/** The templates of prompts: the built-in ones, and those of a project. */

import { describeValue, listNames } from '../../language/text/index.ts';
import { isRecord } from '../../wire/contract/index.ts';

/** The parts that a template can hold. */
export interface PromptParts {
  readonly capabilities: string;
  readonly agents: string;
  readonly rules: string;
  readonly form: string;
}

/**
 * A text with placeholders, or a function of the parts: `{{capabilities}}` guides of the capabilities, `{{agents}}`
 * lines of the agents, `{{rules}}` the rules of the stage, `{{form}}` the form of the reply. The goal is no part of a
 * template: it follows in a message of its own, so that the prompt before it is the same from call to call.
 */
export type PromptTemplate = string | ((parts: PromptParts) => string);

/**
 * `extract`, `route`, `select` and `write` are the stages of planning, `xml` is `write` for plans in XML, `reactive` decides
 * one step, `report` explains a failure.
 */
export const PROMPT_NAMES = ['extract', 'route', 'select', 'write', 'xml', 'reactive', 'report'] as const;
export type PromptName = (typeof PROMPT_NAMES)[number];

/** Templates in the place of the built-in ones. */
export type Prompts = { readonly [name in PromptName]?: PromptTemplate };

const EXECUTORS = `# Capabilities\n{{capabilities}}\n\n# Agents\n{{agents}}`;

export const TEMPLATES: Readonly<Record<PromptName, string>> = {
  extract: `You say what the task is that a goal sets. Nothing is carried out yet.\n\n# Rules\n{{rules}}\n\n# Reply\n{{form}}`,
  route: `You say how a goal is to be pursued. Nothing is carried out yet.\n\n# Rules\n{{rules}}\n\n# Reply\n{{form}}`,
  select: `You say whether one capability is needed for a task. Nothing is carried out yet.\n\n# Rules\n{{rules}}\n\n# Reply\n{{form}}`,
  write: `You write a plan for a goal. A program compiles it, a person decides it, and only then it is carried out, every node as soon as its inputs are there.\n\n${EXECUTORS}\n\n# Rules\n{{rules}}\n\n# Reply\n{{form}}`,
  xml: `You write a plan of numbered steps for an objective. A program compiles it, a person decides it, and only then it is carried out.\n\n${EXECUTORS}\n\n# Rules\n{{rules}}\n\n# Reply\n{{form}}`,
  reactive: `You pursue a goal one step at a time: you see what has come of the steps so far, and decide the next one.\n\n${EXECUTORS}\n\n# Rules\n{{rules}}\n\n# Reply\n{{form}}`,
  report: `You explain to a person why a run has failed. What was done cannot be undone by you.\n\n# Rules\n{{rules}}`,
};

const PLACEHOLDERS = ['capabilities', 'agents', 'rules', 'form'] as const satisfies readonly (keyof PromptParts)[];

/** The template with its placeholders filled, once: double braces inside a part stay as they are. */
export function filled(template: PromptTemplate, parts: PromptParts): string {
  if (typeof template === 'function') return template(parts);
  return template.replace(/\{\{(\w+)\}\}/g, (written, name: string) => parts[name as keyof PromptParts] ?? written);
}

/**
 * Templates as a project gives them.
 * @param path where they stand in its configuration, for the error
 * @throws TypeError with everything that is wrong, each with its path, what was expected and what came
 * @example readPrompts({ write: 'Plan with:\n{{capabilities}}\n{{rules}}\n{{form}}' }, 'planner.prompts');
 */
export function readPrompts(value: unknown, path: string): Prompts {
  if (value === undefined) return {};
  if (!isRecord(value)) throw new TypeError(`${path} is an object of templates, not ${describeValue(value)}`);
  const problems = Object.entries(value).flatMap(([name, template]) => problemsOf(name, template, `${path}.${name}`));
  if (problems.length > 0) throw new TypeError(problems.join('\n'));
  return value;
}

function problemsOf(name: string, template: unknown, path: string): readonly string[] {
  if (!(PROMPT_NAMES as readonly string[]).includes(name)) {
    return [`${path}: there is no such prompt; there are ${listNames(PROMPT_NAMES)}`];
  }
  if (typeof template === 'function') return [];
  if (typeof template !== 'string' || template.trim() === '') {
    return [`${path} is a text or a function, not ${describeValue(template)}`];
  }
  const unknown = [...template.matchAll(/\{\{(.*?)\}\}/g)].filter(
    ([, placeholder = '']) => !(PLACEHOLDERS as readonly string[]).includes(placeholder),
  );
  return unknown.map(
    ([written]) =>
      `${path}: ${written} is no placeholder; there are ${PLACEHOLDERS.map((one) => `{{${one}}}`).join(', ')}`,
  );
}
