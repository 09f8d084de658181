/** Who answers what the planner asks: what was typed beforehand, then a person at a terminal, else nobody. */

import type { Question } from '../../../wire/contract/index.ts';
import type { JsonValue } from '../../../language/plan/index.ts';
import type { Output } from '../../terminal/index.ts';
import { visible } from '../../../language/text/index.ts';
import { asTyped } from '../../as-typed.ts';
import { CliError } from '../../cli-error.ts';
import { askAnswer, readValue } from '../../reading/index.ts';
import { shellWord } from '../../showing/index.ts';

/**
 * Answers a question of the planner.
 * @throws CliError QUESTION that says how to answer, where a person is wanted and none is there
 */
export function answererFor(
  goal: string,
  given: readonly string[],
  flag: string,
  output: Output,
): (question: Question) => Promise<JsonValue | undefined> {
  let asked = 0;
  return async (question) => {
    const typed = given[asked++];
    if (typed !== undefined) {
      const value = readValue(typed, question.schema);
      output.note(`${visible(question.text)} ${visible(JSON.stringify(value))}`);
      return value;
    }
    if (output.canAsk) return askAnswer(question);
    const before = given.map((one) => ` ${shellWord(one)}`).join('');
    const command = asTyped(`plan ${shellWord(goal)}${flag} --answer${before} ANSWER`);
    const schema = question.schema === undefined ? '' : ` (${JSON.stringify(question.schema)})`;
    throw new CliError('QUESTION', `the planner asks: ${question.text}${schema}\nanswer with: ${command}`, {
      question,
      command,
    });
  };
}
