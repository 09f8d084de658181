/** docker-compose.yml fits the program and the dev server. */

import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { buildProgram } from '../src/cli/program.ts';
import { DEMOS } from '../src/demos/index.ts';
import { DYNAMIC_CONFIG } from '../src/dev-server/index.ts';
import { readSource } from './support/source-files.ts';

interface Service {
  readonly image: string;
  readonly command: string | readonly string[];
  readonly environment?: { readonly [name: string]: string };
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
}

const { services, volumes } = parse(readSource('docker-compose.yml')) as {
  readonly services: { readonly temporal: Service; readonly worker: Service };
  readonly volumes: { readonly [name: string]: unknown };
};
const all = Object.entries<Service>(services);

test.each(all)('%s: the image is pinned', (_name, { image }) => {
  expect(image).toMatch(/^[\w./-]+:\d[\w.-]*$/);
});

test.each(all)('%s: ports are open on this machine only', (_name, { ports = [] }) => {
  for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
});

test('the server is tuned as the dev server is', () => {
  const command = services.temporal.command as readonly string[];
  const values = command.filter((_word, at) => command[at - 1] === '--dynamic-config-value');
  expect(values).toEqual(Object.entries(DYNAMIC_CONFIG).map(([key, value]) => `${key}=${JSON.stringify(value)}`));
});

test('what the server and the worker write outlives their containers', () => {
  const kept = all.flatMap(([, service]) => service.volumes ?? []).map((volume) => volume.split(':'));
  const places = kept.filter(([name = '']) => name in volumes).map(([, place]) => place);
  const database = services.temporal.command[services.temporal.command.indexOf('--db-filename') + 1];
  expect(places).toEqual([database?.replace(/\/[^/]+$/, ''), services.worker.environment?.['PLANWRIGHT_STORE']]);
});

test('the worker finds the server, and the CLI knows its command', () => {
  expect(services.worker.environment?.['TEMPORAL_ADDRESS']).toBe('temporal:7233');
  const [npx, bin, name, option, demo] = String(services.worker.command).split(' ');
  expect([npx, bin]).toEqual(['npx', 'planwright']);
  const command = buildProgram('planwright').commands.find((candidate) => candidate.name() === name);
  expect(command?.options.map(({ long }) => long)).toContain(option);
  expect(DEMOS.map((one) => one.name)).toContain(demo);
});
