/** Readers for files, answers and keys, loaded only by the commands that need them. */

export { askAnswer, askDecision, readTypedAnswer, yesOrNo } from './answers.ts';
export { readFields } from './files.ts';
export { openKey, openSigner, readSecret, speakerOf, starterOf, userName, type SpeakerOptions } from './speaker.ts';
