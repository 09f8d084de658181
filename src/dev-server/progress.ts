/** News for a person who waits for a server. */

export interface Progress {
  /** Takes one line at a time. */
  onProgress(line: string): void;
  /** Takes a line about how long something has gone on, about every 5 s; each takes the place of the one before. */
  onTick(line: string): void;
}
