/** A tool of an MCP server as a capability. The version of the capability is the digest of the tool's description. */

import type { Progress } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { CapabilityError, defineCapability, NotApplied, type TaskContext, type WorkCapability } from '../../index.ts';
import type { JsonValue } from '../../../plan/index.ts';
import { cutCharacters, oneLine } from '../../../plan/text/index.ts';
import { isRecord } from '../../../protocol/index.ts';
import type { McpConnection } from './connection.ts';
import { CallFailure, CALL_OUTCOMES } from './outcomes.ts';
import { readToolAnswer } from './read-answer.ts';
import { readToolSchema, toolDigest, toolMembers, toolNameOf } from '../tools/tool-schema.ts';
import { verifyByTool, type VerifySettings } from './verify-tool.ts';

const TOOL = z.looseObject({
  name: z.string(),
  description: z.string().nullish(),
  inputSchema: z.record(z.string(), z.unknown()),
  outputSchema: z.record(z.string(), z.unknown()).nullish(),
});
type Tool = z.output<typeof TOOL>;

const MAX_MESSAGE = 200;
/** The names that a tool may have. They may begin with any character, since the server's name comes first. */
const NAME = /^[\w.-]{1,64}$/;

/** How to find out whether an effect of a tool happened: the settings, and the tool to ask. */
export interface ToolVerifier {
  readonly settings: VerifySettings;
  readonly reader: WorkCapability;
}

function toolVersion({ name, description, inputSchema, outputSchema }: Tool, verify?: object): string {
  return toolDigest({ name, description, inputSchema, outputSchema, verify });
}

export function readTool(
  server: string,
  listed: unknown,
  isRead: boolean,
  connection: McpConnection,
  hide: (text: string) => string,
  verifier?: ToolVerifier,
): WorkCapability {
  const read = TOOL.safeParse(listed);
  if (!read.success) throw new Error(`its description cannot be read: ${z.prettifyError(read.error)}`);
  const { data: tool } = read;
  const { name: own, description, inputSchema } = tool;
  const outputSchema = tool.outputSchema ?? undefined;
  const name = `mcp.${server}.${own}`;
  if (!NAME.test(own) || name.length > 80) {
    throw new Error('its name is none of a capability: letters, digits, ".", "_" and "-", with its server at most 80');
  }
  const inputProblems = readToolSchema(inputSchema, 'input');
  const outputProblems = outputSchema && readToolSchema(outputSchema, 'output');
  return defineCapability({
    name,
    version: toolVersion(tool, verifier && { ...verifier.settings, version: verifier.reader.version }),
    ...toolMembers(`MCP server ${server}`, description ?? '', inputSchema, inputProblems),
    output: outputSchema === undefined ? 'text' : 'value',
    effect: isRead ? 'read' : 'at-most-once',
    async versionNow(signal) {
      const { tools } = await (isRead ? connection.known(signal) : connection.list(signal)).catch(failed);
      const same = tools.flatMap((one) => (toolNameOf(one) === own ? [TOOL.safeParse(one)] : []));
      const verify = verifier && { ...verifier.settings, version: await verifier.reader.versionNow?.(signal) };
      const versions = new Set(same.map(({ data }) => (data === undefined ? 'none' : toolVersion(data, verify))));
      return versions.size === 1 ? [...versions][0]! : 'none';
    },
    ...(verifier !== undefined && {
      async verify(task: TaskContext<Record<string, JsonValue>>) {
        const { settings, reader } = verifier;
        const found = await verifyByTool(settings, reader, task);
        if (found?.happened !== true) return found;
        const { result } = found;
        const [problem] = (result !== undefined && outputProblems?.(result)) || [];
        if (problem !== undefined) throw new Error(`its result does not fit the schema of ${own}: ${problem.message}`);
        const isText = outputSchema === undefined && typeof result !== 'string';
        return { happened: true as const, result: (isText ? JSON.stringify(result) : result) as string };
      },
    }),
    async execute({ arguments: args, signal, heartbeat, idempotencyKey }) {
      const onProgress = ({ progress, total, message }: Progress) => {
        const details = message === undefined ? {} : { message: cutCharacters(oneLine(message), MAX_MESSAGE) };
        heartbeat({ progress, ...(total !== undefined && { total }), ...details });
      };
      try {
        const key = isRead ? undefined : idempotencyKey;
        const answer = hidden(await connection.call(own, args, { signal, onProgress, key }));
        return readToolAnswer(answer, name, outputProblems) as string;
      } catch (error) {
        const isDone = !isRead && error instanceof CallFailure && CALL_OUTCOMES[error.answer].effect === 'done';
        return isDone ? `[${hide(error.message)}]` : failed(error);
      }
    },
  });

  function failed(error: unknown): never {
    if (!(error instanceof CallFailure)) throw error;
    const message = hide(error.message);
    const { read: errorClass, effect } = CALL_OUTCOMES[error.answer];
    throw !isRead && effect === 'not-applied' ? new NotApplied(message) : new CapabilityError(errorClass, message);
  }

  function hidden<Given>(value: Given): Given {
    const json = JSON.stringify(value);
    const hiddenJson = hide(json);
    return hiddenJson === json || !isRecord(value) ? value : (JSON.parse(hiddenJson) as Given);
  }
}
