/** What a command reads: files, answers, keys. Loaded by the commands that need it. */

export { askAnswer, askDecision, readTypedAnswer, yesOrNo } from './answers.ts';
export { readFields } from './fields.ts';
export { openKey, openSigner, readSecret, speakerOf, starterOf, userName, type SpeakerOptions } from './speaker.ts';
