/** The way every measurement tells what it saw. */

/** One JSON line, as every measurement prints. */
export function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

export function round3(value: number): number {
  return Math.round(value * 1000) / 1000;
}
