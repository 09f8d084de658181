/** Makes a project in this folder: a working config, and keys to sign with. Changes no existing files. */

import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { configSource, findConfig, identitySource, modelSettingsProblem, type FirstModel } from '../../config/index.ts';
import {
  createKeyPair,
  createLockedKeyPair,
  isName,
  publicKeyOf,
  type KeyPair,
} from '../../protocol/identity/index.ts';
import { given } from '../../protocol/index.ts';
import { wrongUsage } from '../../operations/index.ts';
import type { InitFlags } from '../flags.ts';
import { openKey, userName } from '../reading/index.ts';
import { askPassphrase } from '../terminal/index.ts';
import { CONFIG, KEY_FOLDER, nextSteps, type PlannedKey } from './next-steps.ts';
import { PLAN, PLAN_SOURCE, TEST, TEST_SOURCE } from './first-files.ts';

export interface CreatedProject {
  readonly record: object;
  readonly text: string;
  readonly steps: readonly string[];
}

const FOR_OWNER = 0o600;
const SKILL = new URL('../../../SKILL.md', import.meta.url);

export async function startProject(options: InitFlags): Promise<CreatedProject> {
  const folder = process.cwd();
  const config = findConfig(folder);
  const key = options.keyPair === true ? planKey(options, folder) : undefined;
  const model = plannedModel(options, config);
  if (key === undefined) refuseIdle(options, config);
  const created: string[] = [];
  const write = (file: string, text: string, mode?: number) => {
    writeNew(file, text, mode);
    created.push(file);
  };
  if (options.skill !== undefined)
    write(resolve(folder, options.skill, 'planwright/SKILL.md'), readFileSync(SKILL, 'utf8'));
  if (key !== undefined) write(key.publicKey, await publicPart(key, write));
  const block = key === undefined ? undefined : identitySource(key.person);
  if (config === undefined) {
    write(join(folder, CONFIG), configSource(queueOf(folder), block, model));
    if (!existsSync(join(folder, PLAN)) && !existsSync(join(folder, TEST))) {
      write(join(folder, PLAN), PLAN_SOURCE);
      write(join(folder, TEST), TEST_SOURCE);
    }
  }
  const ignore = join(folder, '.planwright/.gitignore');
  if (!existsSync(ignore)) write(ignore, 'results/\n');
  const paste = config === undefined ? undefined : block;
  const record = given({
    config: config ?? join(folder, CONFIG),
    created,
    key: key && keyRecord(key),
    identity: paste,
  });
  const lines = [
    ...created.map((file) => `created ${file.startsWith(folder + sep) ? relative(folder, file) : file}`),
    ...(paste === undefined ? [] : ['', paste]),
  ];
  return { record, text: lines.join('\n'), steps: nextSteps(folder, config, key, created, model) };
}

function keyRecord({ person: { kid, subject, roles }, privateKey, publicKey }: PlannedKey) {
  return { kid, subject, roles, privateKey, publicKey };
}

function plannedModel({ model, modelName }: InitFlags, config: string | undefined): FirstModel | undefined {
  if (model === undefined) {
    if (modelName === undefined) return undefined;
    throw wrongUsage('--model-name says which model a new config has: add --model');
  }
  if (config !== undefined) {
    const message = `${config} is there already and stays as it is; write "model" and "agents" into it (docs/configuration.md)`;
    throw wrongUsage(message);
  }
  const baseURL = model === true ? undefined : model;
  const settings = given({ name: modelName ?? 'name', baseURL });
  const problem = modelSettingsProblem(settings);
  if (problem !== undefined) throw wrongUsage(`--model: ${problem}`);
  return given({ name: modelName, baseURL });
}

function refuseIdle({ by, role, person, skill }: InitFlags, config: string | undefined): void {
  if (by !== undefined || role !== undefined || person !== undefined)
    throw wrongUsage('--by, --role and --person say whose key is made: add --key-pair');
  if (config === undefined || skill !== undefined) return;
  throw wrongUsage(`${config} is there already and stays as it is; --key-pair makes a key for it`);
}

function planKey({ by, role, person }: InitFlags, folder: string): PlannedKey {
  const subject = userName(by);
  const roles = role ?? [];
  const wrong = [subject, ...roles].find((name) => !isName(name));
  if (wrong !== undefined)
    throw wrongUsage(`${JSON.stringify(wrong)} is no name: expected one line of at most 200 characters`);
  // The same person may have a second key for scripts, so the id has a suffix.
  const kid = `${kidOf(subject)}${person === true ? '-person' : ''}`;
  const publicKey = join(folder, KEY_FOLDER, `${kid}.pub.pem`);
  if (existsSync(publicKey)) {
    throw wrongUsage(`${publicKey} is there already and stays as it is; name another person with --by NAME`);
  }
  const privateKey = join(configHome(), 'planwright', `${kid}.key.pem`);
  if (isInside(realFolder(dirname(privateKey)), realFolder(folder))) {
    throw wrongUsage(
      `the private key would be ${privateKey}, inside this project, where it would be committed; ` +
        'run init in the folder of the project, or let XDG_CONFIG_HOME name a folder outside',
    );
  }
  const file = `${KEY_FOLDER}/${kid}.pub.pem`;
  return { person: { kid, subject, roles, file, ...given({ person }) }, privateKey, publicKey };
}

/** A person's public key, from the private key in their home folder. Makes both if they are missing. */
async function publicPart(
  { privateKey, person: { person } }: PlannedKey,
  write: (file: string, text: string, mode: number) => void,
): Promise<string> {
  if (existsSync(privateKey)) return publicKeyOf(await openKey(privateKey));
  const pair = person === true ? await lockedPair(privateKey) : createKeyPair();
  write(privateKey, pair.privateKey, FOR_OWNER);
  return pair.publicKey;
}

async function lockedPair(file: string): Promise<KeyPair> {
  const passphrase = await askPassphrase(`new passphrase of ${file}`);
  if (passphrase === undefined)
    throw wrongUsage(
      "--person: a person's key is locked with a passphrase that is typed at a terminal, and nobody did",
    );
  if ((await askPassphrase('the same again')) !== passphrase)
    throw wrongUsage('--person: the two passphrases differ; nothing was written');
  try {
    return await createLockedKeyPair(passphrase);
  } catch (error) {
    throw wrongUsage(`--person: ${(error as Error).message}`);
  }
}

/** The id of a person's key, which is part of file names. Similar names get different ids. */
function kidOf(subject: string): string {
  const kid = spelled(subject);
  if (kid === subject.toLowerCase()) return kid;
  if (kid !== '') return `${kid}-${createHash('sha256').update(subject).digest('hex').slice(0, 6)}`;
  throw wrongUsage(`--by ${subject}: a key is named after its person, in letters a to z and digits; spell the name so`);
}

/** The task queue is named after the folder. If the folder's name has no letters, a random name separates projects. */
function queueOf(folder: string): string {
  return spelled(basename(folder)) || `planwright-${randomBytes(4).toString('hex')}`;
}

function spelled(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 80);
}

/** The config folder by the XDG Base Directory Specification, which ignores relative paths. */
function configHome(): string {
  const configured = process.env['XDG_CONFIG_HOME'];
  return configured !== undefined && isAbsolute(configured) ? configured : join(homedir(), '.config');
}

function realFolder(folder: string): string {
  if (existsSync(folder)) return realpathSync(folder);
  const above = dirname(folder);
  return above === folder ? folder : join(realFolder(above), relative(above, folder));
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function writeNew(file: string, text: string, mode = 0o644): void {
  try {
    mkdirSync(dirname(file), { recursive: true, ...(mode === FOR_OWNER && { mode: 0o700 }) });
    writeFileSync(file, text, { flag: 'wx', mode });
  } catch (error) {
    throw wrongUsage(
      `${file} cannot be written (${(error as NodeJS.ErrnoException).code}); nothing that is there was changed`,
    );
  }
}
