#!/usr/bin/env node
/** The program `planwright`, also installed as `temporal-plan`. */

import { runCli } from './program.ts';

// `planwright result ID | head` closes the pipe early, which is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 2));
// The reader of stderr is gone. The work goes on.
process.stderr.on('error', () => {});

const code = await runCli(process.argv);
process.stdout.write('', () => process.exit(code));
