/** The servers of MCP of a configuration: their shape, and their values with the secrets that only the environment tells. */

import { z } from 'zod';
import type { McpServerSettings } from '../capabilities/builtin/index.ts';
import { given } from '../protocol/index.ts';
import type { ConfiguredMcpServer } from './define-config.ts';
import { valueIn } from './model-key.ts';
import { isAddress } from '../models/index.ts';
import { strict, valuesProblem } from './read-models.ts';

const NAME = /^[A-Za-z][\w-]{0,29}$/;
const A_NAME = 'expected the name of a server: a letter, and letters, digits, "_" and "-", at most 30';
const ADDRESS = 'expected http(s)://host/path without user, password or query, which would be shown with the config';
const EITHER = 'expected a command or a url, one of the two; args and env belong to a command, headers to a url';
/** Values of `env`, and headers, of one server. */
const MOST_VALUES = 64;
const MOST_SERVERS = 32;

/** @param isHeader names of headers are bounded by HTTP, names of variables by shells */
function values(isHeader: boolean) {
  return z
    .custom<NonNullable<ConfiguredMcpServer['env']>>()
    .superRefine((value, context) => {
      const problem = valuesProblem(value, isHeader ? 'headers' : 'env', MOST_VALUES);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    })
    .optional();
}

const server = strict({
  command: z.string().min(1, 'expected a program').optional(),
  args: z.array(z.string()).optional(),
  env: values(false),
  url: z.string(ADDRESS).refine(isAddress, ADDRESS).optional(),
  headers: values(true),
  read: z.array(z.string().min(1)).optional(),
}).superRefine(({ command, args, env, url, headers }, context) => {
  const isOne = (command === undefined) !== (url === undefined);
  const isFitting = command === undefined ? (args ?? env) === undefined : headers === undefined;
  if (!isOne || !isFitting) context.addIssue({ code: 'custom', message: EITHER });
});

export const McpSchema = z.record(z.string(), server).superRefine((servers, context) => {
  const names = Object.keys(servers);
  const add = (message: string, path: string[] = []) => context.addIssue({ code: 'custom', path, message });
  if (names.length > MOST_SERVERS) add(`expected at most ${MOST_SERVERS} servers`);
  for (const name of names) if (!NAME.test(name)) add(A_NAME, [name]);
});

/** The servers as they are opened, and the values that no message may show. */
export interface OpenableMcp {
  readonly servers: { readonly [name: string]: McpServerSettings };
  readonly secrets: readonly string[];
}

/**
 * The servers with the values that the environment has.
 * @throws TypeError that names the setting and the variable where the environment has none
 */
export function withMcpSecrets(
  servers: { readonly [name: string]: ConfiguredMcpServer },
  environment: NodeJS.ProcessEnv = process.env,
): OpenableMcp {
  const secrets: string[] = [];
  const valuesOf = (place: string, fields: NonNullable<ConfiguredMcpServer['env']>) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => {
        const text = valueIn(`${place}.${name}`, value, environment);
        if (typeof value !== 'string') secrets.push(text);
        return [name, text];
      }),
    );
  const opened = Object.entries(servers).map(([name, { command, args, env, url, headers, read }]) => {
    const settings =
      url === undefined
        ? { command: command ?? '', ...given({ args, env: env && valuesOf(`mcp.${name}.env`, env), read }) }
        : { url, ...given({ headers: headers && valuesOf(`mcp.${name}.headers`, headers), read }) };
    return [name, settings] as const;
  });
  return { servers: Object.fromEntries(opened), secrets };
}
