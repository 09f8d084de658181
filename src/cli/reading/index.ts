/** Files, prompts and words, as the values that operations take. Loaded when a command reads one. */

export { askAnswer, askDecision, readValue, yesOrNo } from './answers.ts';
export {
  readCasesFile,
  readDocument,
  readJsonFile,
  readJsonObject,
  readJsonWord,
  readSource,
  readTrackFile,
} from './files.ts';
export { openSigner, readSecret, speakerOf, userName, type KeyOptions, type SpeakerOptions } from './speaker.ts';
