/** `reflect`: a note of a loop for its later rounds. */

import { z } from 'zod';
import { defineCapability } from '../index.ts';

/** The part of one result that a later round sees. */
const MAX_NOTE = 8000;

/**
 * Stores a note (VentureScope: reflect): the note is the result.
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
