/** The options that every command has: two of our own, and those that the Temporal CLI hands to its extensions. */

import { Option } from 'commander';
import { COLOR_MODES, FORMATS, type ColorMode, type Format } from './terminal/index.ts';
import type { TemporalOption } from './temporal-flags.ts';

interface OwnOptions {
  readonly output: Format;
  readonly color: ColorMode;
}

/** The values of the flags of the Temporal CLI; what no action reads becomes a variable of the environment. */
type TemporalOptions = Readonly<Partial<Record<TemporalOption, string>>>;

export type GlobalOptions = OwnOptions & Pick<TemporalOptions, 'address' | 'namespace' | 'logLevel' | 'commandTimeout'>;

export const OWN_OPTIONS = {
  output: new Option('-o, --output <format>', 'what is written to stdout').choices(FORMATS).default('text'),
  color: new Option('--color <when>', 'colours on stderr').choices(COLOR_MODES).default('auto'),
} satisfies Record<keyof OwnOptions, Option>;
