import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { FirstModel, PersonKey } from '../../config/index.ts';
import { quoteForShell } from '../../plan/text/index.ts';
import { PLAN } from './first-files.ts';

export interface PlannedKey {
  readonly person: PersonKey;
  readonly privateKey: string;
  readonly publicKey: string;
}

export const CONFIG = 'planwright.config.ts';
export const KEY_FOLDER = '.planwright/keys';

export function nextSteps(
  folder: string,
  config: string | undefined,
  key: PlannedKey | undefined,
  created: readonly string[],
  model: FirstModel | undefined,
): readonly string[] {
  const name = basename(config ?? CONFIG);
  const keep = '.planwright/.gitignore keeps the results out';
  const first = model === undefined ? firstSteps(folder, created, key) : planningSteps(model, name);
  if (key === undefined) return [first, `commit ${name}; ${keep}`];
  const { subject } = key.person;
  const found = created.includes(key.privateKey) ? '' : ', which was there already';
  const paste = `next: paste the identity block into ${name}; where it has keys already, the line of ${subject} alone`;
  return [
    `the private key of ${subject} is ${key.privateKey}${found}: for ${subject} alone, and for no repository`,
    config === undefined ? first : paste,
    `commit ${name} and ${KEY_FOLDER}; ${keep}`,
    ...(ignoresKeys(join(folder, '.gitignore')) ? [KEYS_IGNORED] : []),
  ];
}

function firstSteps(folder: string, created: readonly string[], key: PlannedKey | undefined): string {
  const signed =
    key === undefined ? '' : ` --by ${quoteForShell(key.person.subject)} --key ${quoteForShell(key.privateKey)}`;
  const hasPlan = created.includes(join(folder, PLAN));
  const steps = [
    ...(isInstalled(folder) ? [] : ['npm install planwright zod']),
    ...(hasPlan
      ? [
          'npx planwright compile plan.yaml      # shows the plan; nothing runs',
          `npx planwright run plan.yaml --dev${signed}    # a server, a worker, this plan, its result`,
          'node --test                           # the plan fits the capabilities',
        ]
      : ['npx planwright capabilities', 'npx planwright dev']),
  ];
  return ['next:', ...steps.map((step) => `  ${step}`)].join('\n');
}

function isInstalled(folder: string): boolean {
  const above = dirname(folder);
  return existsSync(join(folder, 'node_modules/planwright')) || (above !== folder && isInstalled(above));
}

function planningSteps({ name, baseURL }: FirstModel, config: string): string {
  const key = baseURL === undefined ? 'OPENAI_API_KEY' : 'PLANWRIGHT_MODEL_KEY, if the server asks for a key';
  const fill = name === undefined ? `write the name of your model into ${config}, ` : '';
  return (
    `next: ${fill}set ${key}, then npx planwright plan 'A goal in words', npx planwright dev, ` +
    "and in another terminal npx planwright run --goal 'A goal in words'"
  );
}

const KEYS_IGNORED =
  'the .gitignore of this folder leaves .planwright out, and the public keys with it: write .planwright/results there instead';

function ignoresKeys(file: string): boolean {
  return existsSync(file) && /^\/?\.planwright(\/|\/\*{1,2})?\s*$/m.test(readFileSync(file, 'utf8'));
}
