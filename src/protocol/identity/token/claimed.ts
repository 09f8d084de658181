/** The message of a token as it claims to be, before anybody has verified it. */

import { base64urlnopad } from '@scure/base';
import { jsonIn } from '../../../plan/text/index.ts';
import { isRecord } from '../../index.ts';

/**
 * To know what a token is about, and never who says it. Undefined where it has no message; never throws.
 * @example messageClaimedBy(token)?.['kind']; // 'start'
 */
export function messageClaimedBy(token: unknown): Readonly<Record<string, unknown>> | undefined {
  try {
    const claims = jsonIn(base64urlnopad.decode(String(token).split('.')[1] ?? ''));
    return isRecord(claims) && isRecord(claims['message']) ? claims['message'] : undefined;
  } catch {
    return undefined;
  }
}
