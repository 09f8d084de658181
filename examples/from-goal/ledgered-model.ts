/** A model whose calls are written down, whoever carries it out. */

import { createHash, randomUUID } from 'node:crypto';
import type { ModelClient, ModelReply } from 'planwright';
import type { Usage } from 'planwright/client';
import { messageOf } from '../words.ts';
import { askedIn, issuesTold } from './asked.ts';
import { modelLedger } from './model-ledger.ts';

/** The same model; `file`, in a folder that is there, has what it was asked and what it said. */
export function ledgeredModel(client: ModelClient, file: string): ModelClient {
  const write = modelLedger(file);
  return {
    name: client.name,
    async complete(request, options = {}) {
      const call = randomUUID();
      const digest = createHash('sha256')
        .update(JSON.stringify([client.name, request]))
        .digest('hex');
      const { last, ...asked } = askedIn(request);
      write({ what: 'asked', call, request: digest, ...asked, issues: issuesTold({ ...asked, last }) });
      const onText = (text: string) => {
        write({ what: 'wrote', call, text });
        options.onText?.(text);
      };
      try {
        const reply = await client.complete(request, { ...options, onText });
        write({ what: 'answered', call, did: deedOf(reply), usage: reply.usage });
        return reply;
      } catch (error) {
        const { usage } = error as { readonly usage?: Usage };
        write({ what: 'failed', call, why: messageOf(error), ...(usage !== undefined && { usage }) });
        throw error;
      }
    },
  };
}

function deedOf({ toolCalls: [call], text }: ModelReply): string {
  return call === undefined ? text : `${call.name} ${call.arguments}`;
}
