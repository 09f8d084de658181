#!/usr/bin/env node
/** The program `planwright`, which is `temporal-plan` as well. */

import { runCli } from './program.ts';

// `planwright result ID | head` closes the pipe early; that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 2));
// The reader of the notes has gone. There is nobody to tell it to, and the work goes on.
process.stderr.on('error', () => {});

const code = await runCli(process.argv);
process.stdout.write('', () => process.exit(code));
