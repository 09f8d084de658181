#!/usr/bin/env node

import { runCli } from './program.ts';

// `planwright result ID | head` closes the pipe early. That is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 2));
// The command continues even if nobody reads stderr any more.
process.stderr.on('error', () => {});

const code = await runCli(process.argv);
process.stdout.write('', () => process.exit(code));
