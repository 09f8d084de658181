import { StoreError } from './store.ts';

/**
 * Imports a package; if it is missing the error has the command that installs it.
 * @throws StoreError `not-installed`
 */
export async function optional<T>(name: string, needs: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const isMissing =
      cause instanceof Error && cause.message.includes(`'${name}'`) && /Cannot find/.test(cause.message);
    if (!isMissing) throw cause;
    throw new StoreError('not-installed', `${needs} needs the package ${name} beside planwright: npm install ${name}`, {
      cause,
    });
  }
}
