/** The reference server of files, from the registry, as capabilities of a run: a file is written once, after its approval, and read. */

import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMcpTools, type McpTools } from '../../src/capabilities/builtin/index.ts';
import { openRig, type Rig } from '../support/rig.ts';
import { fileFolder } from '../support/folders.ts';

const LONG_MS = 300_000;
const folder = fileFolder('mcp-files');
let tools: McpTools;
let rig: Rig;

beforeAll(async () => {
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  const install = ['install', '--no-audit', '--no-fund', '@modelcontextprotocol/server-filesystem@2026.8.31'];
  await promisify(execFile)('npm', install, { cwd: folder });
  await mkdir(join(folder, 'data'));
  const program = join(folder, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');
  const read = ['read_text_file', 'list_directory'];
  tools = await openMcpTools({ files: { command: process.execPath, args: [program, join(folder, 'data')], read } });
  rig = await openRig({ capabilities: tools.capabilities });
}, LONG_MS);
afterAll(async () => {
  await rig.close();
  await tools.close();
});

test(
  'it lists its tools, writes a file after an approval, and reads it',
  async () => {
    expect(tools.withheld).toEqual([]);
    expect(tools.capabilities.length).toBeGreaterThan(8);
    const path = join(folder, 'data/note.txt');
    const step = (context_key: string, tool: string, parameters: object) => ({
      ...{ context_key, capability: `mcp.files.${tool}`, task_objective: `${tool} ${context_key}`, parameters },
    });
    const steps = [
      step('written', 'write_file', { path, content: 'forty-two' }),
      { ...step('read', 'read_text_file', { path }), inputs: ['written'] },
    ];
    const { results = {} } = await rig.run({ plan: { goal: 'Note it', steps } });
    expect(await readFile(path, 'utf8')).toBe('forty-two');
    expect(JSON.stringify(await rig.read(results['read']?.ref))).toContain('forty-two');
    const outside = { goal: 'Reach out', steps: [step('read', 'read_text_file', { path: '/etc/hostname' })] };
    const run = await rig.startApproved({ plan: outside });
    await expect(run.result()).rejects.toThrow();
  },
  LONG_MS,
);
