/** An example of a page as a module of its own: what it takes for granted stands before it. */

const TOOL =
  "{ name: 'tool', description: '', input: z.object({}), output: 'value' as const, effect: 'read' as const, execute: () => 1 }";

/** How a page's other names come about, by name: an import, or a value such as a project has. */
const ASSUMED: Readonly<Record<string, string>> = {
  z: "import { z } from 'zod';",
  defineConfig: "import { defineConfig } from 'planwright';",
  defineCapability: "import { defineCapability } from 'planwright/capabilities';",
  defineAgent: "import { defineAgent } from 'planwright/capabilities';",
  createRegistry: "import { createRegistry } from 'planwright/capabilities';",
  Runtime: "import { Runtime } from '@temporalio/worker';",
  findGenes: "declare const findGenes: (text: string) => import('planwright').ResultSet;",
  made: 'declare const made: object;',
  gateway:
    'declare const gateway: { read(name: string): Promise<number>; write(name: string, to: number): Promise<number> };',
  model: "declare const model: import('planwright').ModelClient;",
  task: "declare const task: import('planwright/capabilities').TaskContext<unknown>;",
  search: `const search = defineCapability(${TOOL});`,
  readPage: `const readPage = defineCapability(${TOOL});`,
  countWords: `const countWords = defineCapability(${TOOL});`,
  square: `const square = defineCapability({ ...${TOOL}, name: 'square', input: z.object({ of: z.number() }) });`,
  researcher:
    "const researcher = defineAgent({ name: 'researcher', description: '', instructions: '', capabilities: [] });",
  writer: "const writer = defineAgent({ name: 'writer', description: '', instructions: '', capabilities: [] });",
};

/** Only what the block uses and neither declares nor imports; what that takes comes before it. */
export function asModule(block: string): string {
  const before: string[] = [];
  const assume = (code: string) => {
    for (const [name, line] of Object.entries(ASSUMED)) {
      if (before.includes(line) || line === code || !uses(code, name) || declares(block, name)) continue;
      assume(line);
      if (!before.includes(line)) before.push(line);
    }
  };
  assume(block);
  return [...before, block, 'export {};'].join('\n');
}

function uses(code: string, name: string): boolean {
  return new RegExp(`(?<![.'"\\w])${name}\\b(?!['"\\w]| *:)`).test(code);
}

function declares(block: string, name: string): boolean {
  return new RegExp(
    `(const|function|class) ${name}\\b|import (type )?\\{[^}]*\\b${name}\\b|execute: [^=]*\\b${name}\\b[^=]*=>`,
  ).test(block);
}
