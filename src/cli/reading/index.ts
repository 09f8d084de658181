/** Files, prompts and words, as the values that operations take. Loaded when a command reads one. */

export { askAnswer, askDecision, readValue, yesOrNo } from './answers.ts';
export { readFields } from './fields.ts';
export { openKey, openSigner, readSecret, speakerOf, starterOf, userName, type SpeakerOptions } from './speaker.ts';
