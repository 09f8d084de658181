/** Runs, nodes and open items as text, the same in the terminal, the page and elsewhere. */

export { actionsOf, cardOf, CARD_TITLES, controlOf, NOT_HAPPENED, rolesText, type CardAction } from './cards.ts';
export { fieldOf, OTHER, readField, type FormAnswer, type AnswerField, type Sent } from './answer-fields.ts';
export {
  attemptHistoryText,
  byText,
  missingText,
  attemptText,
  entryOfNode,
  gaveOf,
  inputLine,
  reasonLines,
  nodeRemark,
  timeLines,
  roundLines,
  type RoundView,
} from './nodes.ts';
export {
  approveAllCommand,
  missingOfInbox,
  silentText,
  commandOf,
  effectLines,
  itemCommand,
  itemCommands,
  WAIT_VERBS,
  waitPhrase,
} from './open-items.ts';
export {
  budgetText,
  countsOf,
  FALLBACK_PLAN,
  planningLine,
  progressText,
  workRows,
  type WorkRow,
  noteLines,
  receiptText,
  replannedLine,
  stepLine,
  unansweredText,
  usageText,
  workLines,
} from './run.ts';
