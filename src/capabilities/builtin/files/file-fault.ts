/** The meaning of a failed call of the file system for a plan. */

import { messageOf, quote } from '../../../plan/text/index.ts';
import { CapabilityError } from '../../index.ts';

/** The plan names what is not there. */
const MISFITS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file; look at the path, which begins in the folder of the project',
  ENOTDIR: 'a part of the path is a file, and no folder',
  EISDIR: 'it is a folder; name a file in it',
  ELOOP: 'it has become a link, or its links go in a circle',
  ENAMETOOLONG: 'its name is too long for the disk',
};

/** No later attempt can change it, and no other plan. */
const REFUSED: Readonly<Record<string, string>> = {
  EACCES: 'the worker may not do that; look at its permissions',
  EPERM: 'the worker may not do that; look at its permissions',
  EROFS: 'the disk can only be read',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EFBIG: 'it is larger than the disk allows',
};

/**
 * A CapabilityError as it is; an unknown error, such as that of a disk that gave no answer, may go better in a moment.
 */
export function fileFault(path: string, error: unknown): CapabilityError {
  if (error instanceof CapabilityError) return error;
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  const misfit = MISFITS[code];
  const refused = REFUSED[code];
  const errorClass = misfit !== undefined ? 'REPLANNING' : refused !== undefined ? 'CRITICAL' : 'RETRIABLE';
  const why = misfit ?? refused ?? messageOf(error);
  return new CapabilityError(errorClass, `${quote(path)}: ${why}${code === '' ? '' : ` (${code})`}`, { cause: error });
}
