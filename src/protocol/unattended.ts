/** A run without a worker, as its server reports it. */

import { durationText, oneLine } from '../plan/text/index.ts';

/** A task queue that no worker asks for work. */
export interface UnattendedQueue {
  readonly taskQueue: string;
  /** The last poll of a worker, or since when work waits there; ISO 8601. Absent if the server knows neither. */
  readonly since?: string;
}

/** `no worker asks for work on planwright, for 3 min` */
export function unattendedText({ taskQueue, since }: UnattendedQueue): string {
  const time = since === undefined ? '' : `, for ${durationText(Date.now() - Date.parse(since))}`;
  return `no worker asks for work on ${oneLine(taskQueue)}${time}`;
}
