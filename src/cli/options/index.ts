/** The kinds of options that commands have: what the help shows, and how what was typed becomes a value. */

export {
  choice,
  choiceOr,
  count,
  countOr,
  duration,
  flag,
  names,
  negated,
  readChoice,
  readDuration,
  requiredText,
  text,
  textOr,
  textOrFlag,
  texts,
  type Duration,
  type OptionKind,
} from './option-kinds.ts';
