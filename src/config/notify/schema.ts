/** The schema of the key `notify`: who is notified when something waits for a person. */

import { z } from 'zod';
import { isAddress } from '../../models/index.ts';
import { durationMs, type Duration } from '../../protocol/index.ts';
import { strict, variable } from '../secrets.ts';

const MAX_RECEIVERS = 16;
const MAX_ESCALATIONS = 8;
const A_LIST = `expected a list of at most ${MAX_RECEIVERS} entries, such as [{ name: 'ops', url: 'https://example.org/hook' }]`;
const A_NAME = 'expected a name of at most 40 letters, digits, "_" and "-", such as "ops"';
const A_URL =
  "expected http(s)://host/path without user, password or query, or { env: 'NAME' } that names the variable which has the address: " +
  'an address that is a secret, such as one of Slack, does not belong into a config';
const A_COMMAND = "expected a program and its arguments as a list, such as ['node', 'notify.mjs']; no shell reads it";
const A_SECRET =
  "expected the variable of the environment that has the secret: { env: 'NOTIFY_SECRET' }. A secret does not belong into a config, " +
  'which is committed and shown; make a new one if this file was ever committed';
const A_TIME = 'expected a time from 1 ms to a year, such as "2h"';
const ROLES = 'expected a list of at least one role';
const EITHER = 'expected a url or a command, one of the two; a secret belongs to a url';

const time = z.custom<Duration>((value) => durationMs(value) !== undefined, A_TIME);
const roles = z.array(z.string(ROLES).min(1, ROLES), ROLES).min(1, ROLES).readonly();

const receiver = strict(
  {
    /** A unique name of the entry. Under another name, everything that is open is sent again. */
    name: z.string(A_NAME).regex(/^[\w-]{1,40}$/, A_NAME),
    /** The address to which each message is sent by POST. Redirects are not followed. */
    url: z.union([z.string().refine(isAddress, A_URL), variable(A_URL)], A_URL).optional(),
    /**
     * Instead of a url: a program and its arguments, run in the folder of the config. It reads each message from stdin.
     */
    command: z
      .array(z.string(A_COMMAND).regex(/^[^\0]+$/, A_COMMAND), A_COMMAND)
      .min(1, A_COMMAND)
      .readonly()
      .optional(),
    /** The variable with the secret that signs each request (docs/notifications.md#the-signature). */
    secret: variable(A_SECRET).optional(),
    /** Only items for one of these roles, or for anybody. Default: all items. */
    roles: roles.optional(),
    /** Only items that have waited this long. Default: all items. */
    after: time.optional(),
    /** A second message, this long before the deadline. Default: none. */
    remind: time.optional(),
    /** Further messages to other people, each after this time. They do not change who may decide. Default: none. */
    escalate: z
      .array(strict({ after: time, roles }))
      .max(MAX_ESCALATIONS)
      .readonly()
      .optional(),
    /** Whether messages contain the values of arguments. Default: false. */
    content: z.boolean().optional(),
    /** The address of the page for browsers (`planwright serve --origin`), for the link. Default: no link. */
    page: z.string(A_URL).refine(isAddress, 'expected http(s)://host[:port]').optional(),
  },
  A_SECRET,
)
  .refine(
    ({ url, command, secret }) =>
      (url === undefined) !== (command === undefined) && !(command !== undefined && secret !== undefined),
    EITHER,
  )
  .readonly();

export const notifySchema = z
  .array(receiver, A_LIST)
  .max(MAX_RECEIVERS, A_LIST)
  .superRefine((entries, context) => {
    for (const [at, { name }] of entries.entries())
      if (entries.findIndex((other) => other.name === name) < at)
        context.addIssue({ code: 'custom', path: [at, 'name'], message: `two entries have the name ${name}` });
  })
  .readonly();

export type ReceiverSettings = z.output<typeof receiver>;
