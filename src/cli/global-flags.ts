/**
 * The flags of every command: two of our own, and those that the Temporal CLI passes to its extensions (`temporal plan
 * ...`). Connection flags become environment variables, the only configuration of a connection.
 */

import { Option, type Command } from 'commander';
import { COLOR_MODES, FORMATS, type ColorMode, type OutputFormat } from './terminal/index.ts';

interface TemporalFlag {
  readonly flags: string;
  /** Without a description, the help does not list the flag. */
  readonly description?: string;
  /** The environment variable that the flag sets. If absent, the flag is accepted and ignored. */
  readonly variable?: string;
}

export const TEMPORAL_FLAGS: readonly TemporalFlag[] = [
  { flags: '--address <host:port>', description: 'Temporal server', variable: 'TEMPORAL_ADDRESS' },
  { flags: '-n, --namespace <name>', description: 'Temporal namespace', variable: 'TEMPORAL_NAMESPACE' },
  { flags: '--profile <name>', description: 'profile of the Temporal config file', variable: 'TEMPORAL_PROFILE' },
  { flags: '--config-file <file>', variable: 'TEMPORAL_CONFIG_FILE' },
  { flags: '--api-key <key>', variable: 'TEMPORAL_API_KEY' },
  { flags: '--tls', variable: 'TEMPORAL_TLS' },
  { flags: '--no-tls', variable: 'TEMPORAL_TLS' },
  { flags: '--tls-cert-path <file>', variable: 'TEMPORAL_TLS_CLIENT_CERT_PATH' },
  { flags: '--tls-cert-data <pem>', variable: 'TEMPORAL_TLS_CLIENT_CERT_DATA' },
  { flags: '--tls-key-path <file>', variable: 'TEMPORAL_TLS_CLIENT_KEY_PATH' },
  { flags: '--tls-key-data <pem>', variable: 'TEMPORAL_TLS_CLIENT_KEY_DATA' },
  { flags: '--tls-ca-path <file>', variable: 'TEMPORAL_TLS_SERVER_CA_CERT_PATH' },
  { flags: '--tls-ca-data <pem>', variable: 'TEMPORAL_TLS_SERVER_CA_CERT_DATA' },
  { flags: '--tls-server-name <name>', variable: 'TEMPORAL_TLS_SERVER_NAME' },
  { flags: '--tls-disable-host-verification', variable: 'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION' },
  { flags: '--grpc-meta <key=value...>', variable: 'TEMPORAL_GRPC_META_' },
  { flags: '--command-timeout <duration>', description: 'give up after this time, such as 30s' },
  { flags: '--log-level <level>', description: "the worker's log: debug, info, warn, error, never" },
  { flags: '--log-format <format>', description: "the worker's log: text, or json, an object a line" },
  { flags: '--time-format <format>' },
  { flags: '--identity <text>' },
  { flags: '--env <name>' },
  { flags: '--env-file <file>' },
  { flags: '--client-authority <text>' },
  { flags: '--client-connect-timeout <duration>' },
  { flags: '--codec-endpoint <url>' },
  { flags: '--codec-auth <text>' },
  { flags: '--codec-header <key=value...>' },
  { flags: '--disable-config-env' },
  { flags: '--disable-config-file' },
  { flags: '--no-json-shorthand-payloads' },
];

const BOOLEAN = new Set(TEMPORAL_FLAGS.map(({ flags }) => flags).filter((flags) => !flags.includes('<')));

export function addTemporalFlags(program: Command): void {
  for (const { flags, description = '' } of TEMPORAL_FLAGS) {
    const option = new Option(flags, description).helpGroup('Options of the Temporal CLI, for every command:');
    program.addOption(description === '' ? option.hideHelp() : option);
  }
}

/** Converts `--tls=false`, as the Temporal CLI writes it, to `--no-tls`, as Commander reads it. */
export function plainFlags(args: readonly string[]): string[] {
  return args.flatMap((arg) => {
    const [flag = '', value] = arg.split('=', 2);
    if (!BOOLEAN.has(flag) || (value !== 'true' && value !== 'false')) return [arg];
    if (value === 'true') return [flag];
    return flag === '--tls' ? ['--no-tls'] : [];
  });
}

export function applyTemporalFlags(program: Command, environment: NodeJS.ProcessEnv): void {
  for (const { flags, variable } of TEMPORAL_FLAGS) {
    const name = new Option(flags).attributeName();
    if (variable === undefined || program.getOptionValueSource(name) !== 'cli') continue;
    const value: unknown = program.getOptionValue(name);
    if (!Array.isArray(value)) environment[variable] = String(value);
    else for (const pair of value as string[]) setMeta(pair, variable, environment);
  }
}

function setMeta(pair: string, variable: string, environment: NodeJS.ProcessEnv): void {
  const at = pair.indexOf('=');
  environment[variable + pair.slice(0, at === -1 ? undefined : at)] = at === -1 ? '' : pair.slice(at + 1);
}

interface OwnOptions {
  readonly output: OutputFormat;
  readonly color: ColorMode;
}

/** The flags of the Temporal CLI that commands read. Others become environment variables. */
export type GlobalOptions = OwnOptions & {
  readonly [Name in 'address' | 'namespace' | 'logLevel' | 'logFormat' | 'commandTimeout']?: string;
};

export const OWN_OPTIONS = {
  output: new Option('-o, --output <format>', 'what is written to stdout').choices(FORMATS).default('text'),
  color: new Option('--color <when>', 'colours on stderr').choices(COLOR_MODES).default('auto'),
} satisfies Record<keyof OwnOptions, Option>;
