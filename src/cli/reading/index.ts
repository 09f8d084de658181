export { askAnswer, askDecision, readTypedAnswer, yesOrNo } from './answers.ts';
export { readFields } from './files.ts';
export { openKey, openSigner, readSecret, speakerOf, starterOf, userName, type SpeakerOptions } from './speaker.ts';
