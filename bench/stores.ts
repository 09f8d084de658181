/**
 * The result store beside two embedded databases: how fast small results are on the disk, and what a killed or stopped process,
 * a damaged file and a full disk do to others. The peers have a package of their own: `npm install --prefix bench/peers
 * --ignore-scripts` first, as both databases come built.
 *
 *   npm run bench -- stores [rounds]
 *
 * Prints a JSON line for each store and question, then a Markdown table. The full disk is a mounted one, which takes root on Linux.
 */

import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { median } from './median.ts';
import { print, round3 } from './print.ts';
import { randomFrom } from './random.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const rounds = Number(process.argv.slice(2).find((word) => /^[1-9]\d*$/.test(word)) ?? 5);
const KINDS = ['segments', 'lmdb', 'libsql'];
const PAIRS = 1023;
const STOPS = 60;
const FLIPS = 64;
/** The content of a file before it is damaged. */
const [GROUPS, IN_GROUP] = [20, 100];
/** Longer than a worker may be held up. */
const PATIENCE_MS = 15_000;

if (!existsSync(here('peers/node_modules/lmdb'))) {
  process.stderr.write('The peers are not installed: npm install --prefix bench/peers --ignore-scripts\n');
  process.exit(2);
}

/** The report of a process, or how it `ended`. */
interface Told {
  readonly ended?: string;
  readonly failed?: string;
  readonly ms?: number;
  readonly poured?: number;
  readonly whole?: number;
  readonly missing?: number;
  readonly errors?: number;
  readonly wrong?: number;
}
interface Worker {
  readonly child: ChildProcess;
  /** Its next report, or how it ended. */
  ask(order: object): Promise<Told>;
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** @param mark what its pairs are told apart by from those of others */
async function hire(kind: string, folder: string, mark: string): Promise<Worker> {
  const env = { ...process.env, KIND: kind, FOLDER: folder, MARK: mark, PEERS: here('peers/stores.mjs') };
  const child = fork(here('contenders/store-process.ts'), {
    execArgv: ['--import', 'tsx'],
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.setMaxListeners(0);
  const next = async (): Promise<Told> => {
    const exit = once(child, 'exit').then(([code, signal]) => ({ ended: String(signal ?? code) }));
    return Promise.race([once(child, 'message').then(([told]) => told as Told), exit]);
  };
  const worker = {
    child,
    ask(order: object) {
      const told = next();
      if (child.connected) child.send(order);
      return told;
    },
    async end(signal: NodeJS.Signals = 'SIGKILL') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await once(child, 'exit');
    },
  };
  const told = await next();
  if (told.ended !== undefined) throw new Error(`${kind} cannot be opened: it ended with ${told.ended}`);
  return worker;
}

const QUESTIONS: readonly (readonly [name: string, ask: (kind: string, folder: string) => Promise<string>])[] = [
  [`${PAIRS} results, ms each`, (kind, folder) => throughput(kind, folder, 1)],
  ['the same in two processes', (kind, folder) => throughput(kind, folder, 2)],
  ['kill -9: told and lost', killed],
  ['SIGSTOP in a commit: another waits', stopped],
  [
    'files cut to half',
    (kind, folder) => damaged(kind, folder, (path) => truncateSync(path, statSync(path).size >> 1)),
  ],
  [`${FLIPS} bytes flipped in each`, (kind, folder) => damaged(kind, folder, flip)],
  ['full disk', full],
];

const table: string[][] = [];
for (const [name, ask] of QUESTIONS) {
  const row = [name];
  for (const kind of KINDS) {
    const folder = mkdtempSync(join(tmpdir(), `planwright-bench-${kind}-`));
    const answer = await ask(kind, folder).catch((error: unknown) => String(error));
    print({ question: name, store: kind, answer });
    row.push(answer);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
  table.push(row);
}
const head = ['', ...KINDS];
process.stdout.write(
  `\n${[head, head.map(() => '---'), ...table].map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`,
);

async function throughput(kind: string, folder: string, processes: number): Promise<string> {
  const workers = await Promise.all(Array.from({ length: processes }, (_, n) => hire(kind, folder, String(n))));
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const told = await Promise.all(workers.map((worker) => worker.ask({ write: [round * PAIRS, PAIRS] })));
    if (round > 0) times.push(Math.max(...told.map(({ ms }) => Number(ms))) / PAIRS);
  }
  for (const worker of workers) await worker.end();
  return String(round3(median(times)));
}

async function killed(kind: string, folder: string): Promise<string> {
  let [told, lost] = [0, 0];
  for (const most of [50, 300, 1000]) {
    const worker = await hire(kind, folder, String(most));
    const all = await pour(worker, most);
    await worker.end();
    const reader = await hire(kind, folder, String(most));
    const found = await reader.ask({ read: [0, Math.max(...all) + 1] });
    told += all.length;
    // Pairs that were under way may be there as well.
    lost += Math.max(0, 2 * all.length - Number(found.whole));
    await reader.end();
  }
  return `${lost} of ${told}`;
}

/** Pours until `most` pairs are told. */
function pour({ child }: Worker, most: number): Promise<readonly number[]> {
  const told = heard(child, most);
  child.send({ pour: 40 });
  return told;
}

/** The next `many` pairs that it tells. */
function heard(child: ChildProcess, many: number): Promise<readonly number[]> {
  const told: number[] = [];
  return new Promise((resolve) => {
    child.on('message', ({ poured }: Told) => {
      if (typeof poured === 'number' && told.push(poured) === many) resolve(told);
    });
  });
}

/** Most stops hit a moment between two commits; some of many hit one inside. */
async function stopped(kind: string, folder: string): Promise<string> {
  const waits: number[] = [];
  const [worker, other] = [await hire(kind, folder, 'a'), await hire(kind, folder, 'b')];
  await pour(worker, 100);
  for (let stop = 0; stop < STOPS; stop += 1) {
    worker.child.kill('SIGSTOP');
    const began = performance.now();
    const told = await Promise.race([other.ask({ write: [10 * stop, 10] }), pause(PATIENCE_MS)]);
    waits.push(Math.round(performance.now() - began));
    if (told === undefined) break;
    const goesOn = heard(worker.child, 40 + stop);
    worker.child.kill('SIGCONT');
    await goesOn;
  }
  for (const one of [worker, other]) await one.end();
  const most = Math.max(...waits);
  return `${most >= PATIENCE_MS ? `over ${PATIENCE_MS}` : most} ms at most, ${Math.round(median(waits))} mostly`;
}

async function damaged(kind: string, folder: string, damage: (path: string) => void): Promise<string> {
  const writer = await hire(kind, folder, 'x');
  for (let group = 0; group < GROUPS; group += 1) await writer.ask({ write: [group * IN_GROUP, IN_GROUP] });
  await writer.end();
  filesIn(folder).forEach(damage);
  const reader = await hire(kind, folder, 'x').catch((error: unknown) => (error as Error).message);
  if (typeof reader === 'string') return reader;
  const { ended, ...found } = await reader.ask({ read: [0, GROUPS * IN_GROUP] });
  await reader.end();
  if (ended !== undefined) return `the process ended (${ended})`;
  const { whole, missing, errors, wrong } = found;
  return `${whole} whole, ${missing} missing, ${errors} errors, ${wrong} wrong`;
}

/** The files that have the results, and not only a lock or a lock's table. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
    .filter((path) => statSync(path).size > 65_536);
}

function flip(path: string): void {
  const bytes = readFileSync(path);
  const random = randomFrom(7);
  for (let n = 0; n < FLIPS; n += 1) {
    const at = Math.floor(random() * bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  }
  writeFileSync(path, bytes);
}

async function full(kind: string, folder: string): Promise<string> {
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk]).status !== 0) return 'not tried';
  try {
    const worker = await hire(kind, join(disk, 'store'), 'x');
    await worker.ask({ write: [0, 100] });
    const filler = join(disk, 'filler');
    try {
      for (;;) writeFileSync(filler, Buffer.alloc(4096), { flag: 'a' });
    } catch {
      // It is full.
    }
    const answers: string[] = [];
    for (let from = 100; from < 5100 && answers.length < 2; from += 500) {
      const told = await Promise.race([
        worker.ask({ write: [from, 500] }),
        pause<Told>(PATIENCE_MS, { failed: 'no answer' }),
      ]);
      if (told.ended !== undefined) return `the process ended (${told.ended})`;
      if (told.failed !== undefined) answers.push('error');
    }
    rmSync(filler);
    const after = await Promise.race([
      worker.ask({ write: [9000, 10] }),
      pause<Told>(PATIENCE_MS, { failed: 'no answer' }),
    ]);
    const end =
      after.ended !== undefined
        ? `the process ended (${after.ended})`
        : after.ms !== undefined
          ? 'writes again'
          : 'writes no more';
    await worker.end();
    return `${answers[0] ?? 'no error'}, then with room ${end}`;
  } finally {
    spawnSync('umount', ['-l', disk]);
  }
}
