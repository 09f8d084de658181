/** The world outside, in one folder: what was ordered and delivered, a bank and a printer. Both ways use the same. */

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Invoice {
  readonly to: string;
  readonly amount: number;
}

export type World = ReturnType<typeof openWorld>;

const LOOK_MS = 20;

export function openWorld(folder: string) {
  const at = (name: string) => join(folder, name);
  const lines = (name: string) => readFileSync(at(name), 'utf8').split('\n').filter(Boolean);
  const whileThereIs = async (name: string) => {
    while (existsSync(at(name))) await sleep(LOOK_MS);
  };
  return {
    ordered: () => lines('ordered.txt'),
    delivered: () => lines('delivered.txt'),

    /** This bank knows no idempotency keys: what arrives is paid. It answers when there is no file `bank-is-silent`. */
    async pay({ to, amount }: Invoice): Promise<string> {
      appendFileSync(at('bank.txt'), `${to}: ${amount}\n`);
      await whileThereIs('bank-is-silent');
      return `paid ${amount} to ${to}`;
    },

    async payBack({ to, amount }: Invoice): Promise<string> {
      appendFileSync(at('bank.txt'), `${to}: ${-amount}\n`);
      return `${to} has paid back ${amount}`;
    },

    /** Prints when there is no file `printer-is-off`. */
    async print(text: string): Promise<string> {
      await whileThereIs('printer-is-off');
      appendFileSync(at('printer.txt'), `${text}\n`);
      return text;
    },
  };
}
