/** `reflect`: a note that a loop writes down for itself, to be read in the rounds after it. */

import { z } from 'zod';
import { defineCapability } from '../index.ts';

/** The most of one result that a later round is shown. */
const MAX_NOTE = 8000;

/**
 * Takes a note down (VentureScope: reflect): the note is the result, and does nothing beside that.
 * @example defineConfig({ capabilities: [reflect] });
 */
export const reflect = defineCapability({
  name: 'reflect',
  description: 'Writes down a note: what was found out, what is missing, what to try next.',
  guide: {
    when: 'Nothing is to be done right now, and what was learnt should stand in one place before the next step.',
    examples: ['reflect { "note": "Both sources count households, not people. Ask for the size of a household." }'],
  },
  input: z.strictObject({
    note: z
      .string()
      .max(MAX_NOTE)
      .refine((note) => note.trim() !== '', 'expected a text that is not blank'),
  }),
  output: 'text',
  effect: 'read',
  usesGoal: false,
  execute: (task) => task.arguments.note.trim(),
});
