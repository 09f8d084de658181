/** The reading of an answer from any payload. */

import { describe, isDigest, type Answer } from '../../../wire/contract/index.ts';
import { senderProblem, shapeProblem, unknownKey } from './sender.ts';

export type ParsedAnswer =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly reason: string };

const KEYS = ['question', 'value', 'digest', 'by', 'role', 'comment'];
const MAX_ID = 100;

/** Reads an answer from a message. Never throws; whether the value fits the question is not judged here. */
export function parseAnswer(message: unknown): ParsedAnswer {
  const misshapen = shapeProblem(message, EXAMPLE);
  if (misshapen !== undefined) return refuse(misshapen);
  const payload = message as Record<string, unknown>;
  const { question, value, digest } = payload;
  const unknown = unknownKey(payload, KEYS);
  if (unknown !== undefined) return refuse(unknown);
  if (typeof question !== 'string' || question.trim() === '' || question.length > MAX_ID) {
    return refuse(`question: expected the id of an open question, got ${describe(question)}`);
  }
  if (value === undefined) return refuse('value: expected the answer, got nothing');
  if (digest !== undefined && !isDigest(digest)) {
    return refuse(`digest: expected at least the first 8 hex digits of the plan's digest, got ${describe(digest)}`);
  }
  const problem = senderProblem(payload);
  if (problem !== undefined) return refuse(problem);
  const answer = payload as unknown as Answer;
  const meant = digest === undefined ? {} : { digest: digest.toLowerCase() };
  return { ok: true, answer: { ...answer, ...meant, by: answer.by.trim() } };
}

const EXAMPLE = '{"question":"3fa9c1d2.node_3","value":true,"by":"operator"}';

function refuse(reason: string): ParsedAnswer {
  return { ok: false, reason };
}
