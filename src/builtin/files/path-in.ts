/** A path as an argument, checked where the plan is compiled. */

import { z } from 'zod';
import type { AllowedFolders } from './allowed-folders.ts';

const MAX_PATH = 1000;

export function pathIn(folders: AllowedFolders) {
  return z
    .string()
    .min(1)
    .max(MAX_PATH)
    .superRefine((path, context) => {
      const message = folders.problemOf(path);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    });
}
