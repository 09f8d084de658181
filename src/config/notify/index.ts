export { createNotifier, type Notifier } from './notifier.ts';
export { openReceivers, type Receiver } from './receivers.ts';
export { createRunNotices } from './run-notices.ts';
