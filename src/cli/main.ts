#!/usr/bin/env node

import { runCli } from './program.ts';

// `planwright result ID | head` closes the pipe early. This is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 2));
// If nobody reads stderr any more, the work goes on.
process.stderr.on('error', () => {});

const code = await runCli(process.argv);
process.stdout.write('', () => process.exit(code));
