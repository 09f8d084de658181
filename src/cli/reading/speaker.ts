import { readFileSync, statSync } from 'node:fs';
import type { KeyObject } from 'node:crypto';
import { userInfo } from 'node:os';
import type { Signer } from '../../client/index.ts';
import { given } from '../../protocol/index.ts';
import { asTyped } from '../typed-command.ts';
import type { PlaceTyped } from '../flags.ts';
import { OperationError, wrongUsage } from '../../operations/index.ts';
import { quoteForShell } from '../../plan/text/index.ts';

export function userName(typed: string | undefined): string {
  const name = typed ?? process.env['USER'] ?? process.env['USERNAME'] ?? accountName();
  if (name !== undefined && name.trim() !== '') return name.trim();
  throw wrongUsage('a decision needs a name; say who decides with --by NAME');
}

/** The user name of this process; undefined if it has none, as in some containers. */
function accountName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

type KeyOptions = Pick<PlaceTyped, 'key' | 'kid'>;
export type SpeakerOptions = KeyOptions &
  Pick<PlaceTyped, 'demo'> & { readonly [Said in 'by' | 'role' | 'comment']?: string | undefined };

/** The sender's name in a demo. A demo's screen is public, so it must not show the name of this machine's user. */
const IN_DEMO = 'demo';

export function speakerOf({ by, role, comment, demo }: SpeakerOptions) {
  return given({ by: userName(by ?? (demo === undefined ? undefined : IN_DEMO)), role, comment });
}

/** The person who starts a run; undefined unless the start is signed. */
export function starterOf(typed: SpeakerOptions) {
  const { by, role } = keyFile(typed) === undefined ? { by: undefined, role: undefined } : speakerOf(typed);
  return given({ by, role });
}

function keyFile({ key }: KeyOptions): string | undefined {
  return (key ?? process.env['PLANWRIGHT_KEY']) || undefined;
}

/** The signer of messages; undefined without a key. If the key cannot sign, fails before anything is sent. */
export async function openSigner({ key, kid }: KeyOptions): Promise<Signer | undefined> {
  const file = keyFile({ key });
  if (file === undefined) {
    if (kid !== undefined) throw wrongUsage('--kid names the key to sign with: add --key FILE');
    return undefined;
  }
  const opened = await openKey(file);
  const { LONGEST_LIFE_SECONDS, signMessage } = await import('../../protocol/identity/index.ts');
  return async ({ by, role, ...message }, workflowId, namespace, firstRunId) => {
    const signing = { key: opened, by, namespace, ...given({ kid, role }) };
    // A worker may read the message hours later, so the lifetime is the longest.
    const lifeSeconds = LONGEST_LIFE_SECONDS;
    if (!('terms' in message))
      return signMessage({ ...signing, workflowId, message, lifeSeconds, ...given({ firstRunId }) });
    const { signGrant } = await import('../../protocol/identity/sign-message.ts');
    return signGrant({
      ...signing,
      ...(message as object as Pick<Parameters<typeof signGrant>[0], 'terms' | 'until'>),
    });
  };
}

const TRIES = 3;

/** The private key in a file, unlocked if it has a passphrase. @throws OperationError without a key or passphrase */
export async function openKey(file: string): Promise<string | KeyObject> {
  const pem = readSecret(file, keySecret());
  const { isLocked, publicKeyOf, unlockKey } = await import('../../protocol/identity/index.ts');
  const failed = (reason: string) => new OperationError('INPUT_INVALID', `${file}: ${reason}`);
  try {
    if (!isLocked(pem)) publicKeyOf(pem);
  } catch (error) {
    throw failed((error as Error).message);
  }
  if (!isLocked(pem)) return pem;
  const { askPassphrase } = await import('../terminal/index.ts');
  for (let left = TRIES; ; left -= 1) {
    const passphrase = await askPassphrase(`passphrase of ${file}`);
    if (passphrase === undefined) throw failed(NOT_TYPED);
    try {
      return unlockKey(pem, passphrase);
    } catch (error) {
      if (left === 1) throw failed((error as Error).message);
    }
  }
}

const NOT_TYPED =
  'the key is locked with a passphrase, which a person types at a terminal, and nobody did; type the command in a terminal, ' +
  'or sign with a key that is not locked';

const FOR_OTHERS = 0o077;

interface Secret {
  readonly noun: string;
  readonly danger: string;
  readonly next: string;
}

const keySecret = (): Secret => ({
  noun: 'key',
  danger: 'could speak as you',
  next: `name one with --key or PLANWRIGHT_KEY, or make one with \`${asTyped('init --key-pair')}\``,
});

/** Reads a file that must be readable only by its owner. @throws OperationError that names the file */
export function readSecret(file: string, { noun, danger, next }: Secret): string {
  try {
    const { mode } = statSync(file);
    const isOpen = process.platform !== 'win32' && (mode & FOR_OTHERS) !== 0;
    if (!isOpen) return readFileSync(file, 'utf8');
    throw new OperationError(
      'INPUT_INVALID',
      `others than its owner can read or change the ${noun} ${file} (mode ${(mode & 0o777).toString(8)}), and ${danger}; ` +
        `type \`chmod 600 ${quoteForShell(file)}\`, and make a new ${noun} where somebody may have read it`,
    );
  } catch (error) {
    if (error instanceof OperationError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new OperationError('NO_SUCH_FILE', `there is no ${noun} ${file}; ${next}`);
    throw new OperationError('NOT_READABLE', `the ${noun} ${file} cannot be read: ${message}`);
  }
}
