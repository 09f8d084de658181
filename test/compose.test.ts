/** docker-compose.yml fits the program and the dev server. */

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { buildProgram } from '../src/cli/program.ts';
import { allRows } from '../src/cli/commands/index.ts';
import { DEMOS } from '../examples/index.ts';
import { DYNAMIC_CONFIG, SQLITE_PRAGMAS } from '../src/cli/dev-server/start-server.ts';
import { readSource } from './support/source-files.ts';
import { NAMESPACE_STEPS, schemaSteps, VERSIONS } from '../scripts/cluster/steps.mjs';

interface Service {
  readonly image: string;
  readonly command: string | readonly string[];
  readonly environment?: { readonly [name: string]: string };
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly profiles?: readonly string[];
  readonly working_dir?: string;
  readonly stop_grace_period?: string;
  readonly depends_on?: { readonly [name: string]: { readonly condition: string } };
}

const { services, volumes } = parse(readSource('docker-compose.yml')) as {
  readonly services: { readonly temporal: Service; readonly worker: Service; readonly project: Service } & {
    readonly [name: string]: Service;
  };
  readonly volumes: { readonly [name: string]: unknown };
};

test('the server is tuned as the dev server is', () => {
  const command = services.temporal.command as readonly string[];
  const values = command.filter((_word, at) => command[at - 1] === '--dynamic-config-value');
  expect(values).toEqual(Object.entries(DYNAMIC_CONFIG).map(([key, value]) => `${key}=${JSON.stringify(value)}`));
  expect(command.filter((_word, at) => command[at - 1] === '--sqlite-pragma')).toEqual(SQLITE_PRAGMAS);
});

test('what the server and the worker write outlives their containers', () => {
  const kept = [services.temporal, services.worker].flatMap(({ volumes: own = [] }) =>
    own.map((one) => one.split(':')),
  );
  const places = kept.filter(([name = '']) => name in volumes).map(([, place]) => place);
  const database = services.temporal.command[services.temporal.command.indexOf('--db-filename') + 1];
  expect(places).toEqual([database?.replace(/\/[^/]+$/, ''), services.worker.environment?.['PLANWRIGHT_STORE']]);
});

test.each([
  ['worker', 'temporal', 'dist/cli/main.js'],
  ['project', 'temporal', 'node_modules/.bin/planwright'],
  ['worker-a', 'server', 'dist/cli/main.js'],
])(
  '%s finds the server, the CLI knows its command, and the worker itself gets the signals',
  async (service, server, bin) => {
    const { environment, command, image, stop_grace_period: grace } = services[service]!;
    expect(environment?.['TEMPORAL_ADDRESS']).toBe(`${server}:7233`);
    const [program, file, name, ...options] = String(command).split(' ');
    expect([image, program, file, grace]).toEqual(['node:24-slim', 'node', bin, '20s']);
    const known = buildProgram('planwright', await allRows()).commands.find((candidate) => candidate.name() === name);
    expect(known?.options.map(({ long }) => long)).toEqual(
      expect.arrayContaining(options.filter((word) => word.startsWith('--'))),
    );
  },
);

test('the worker is one of a demo that there is', () => {
  const [, demo] = String(services.worker.command).split(' --demo ');
  expect(DEMOS.map((one) => one.name)).toContain(demo);
});

test("a project's own worker starts when it is named, reads its folder, and keeps results where commands there find them", () => {
  const { project } = services;
  expect(project.profiles).toEqual(['project']);
  expect(project.volumes).toContain(`\${PROJECT:-.}:${project.working_dir}:ro`);
  const kept = project.environment?.['PLANWRIGHT_STORE']?.replace(/\/results$/, '');
  expect(project.volumes).toContain(`\${PROJECT:-.}/.planwright:${kept}`);
});

describe('the cluster', () => {
  const of = (name: string) => services[name]!;
  const textOf = (name: string) => [of(name).command].flat().join('\n').trim();

  test('is made by the steps of the script, with programs of the same versions', () => {
    expect(of('postgres').image).toBe(`postgres:${VERSIONS.postgres}`);
    expect(of('server').image).toBe(`temporalio/server:${VERSIONS.temporal}`);
    for (const name of ['schema', 'namespace'])
      expect(of(name).image).toBe(`temporalio/admin-tools:${VERSIONS.adminTools}`);
    const schema = '/etc/temporal/schema/postgresql/v12';
    expect(textOf('schema').split('\n')).toEqual(
      schemaSteps(schema).map((step) => ['temporal-sql-tool', ...step].join(' ')),
    );
    expect(textOf('namespace').split(' || ')).toEqual(NAMESPACE_STEPS.map((step) => ['temporal', ...step].join(' ')));
  });

  test('has a server that is tuned as the dev server is', () => {
    const place = of('server').environment?.['DYNAMIC_CONFIG_FILE_PATH'];
    expect(of('server').volumes).toEqual([`./scripts/cluster/dynamic-config.yaml:${place}:ro`]);
    const tuned = parse(readSource('scripts/cluster/dynamic-config.yaml')) as object;
    expect(tuned).toEqual(Object.fromEntries(Object.entries(DYNAMIC_CONFIG).map(([key, value]) => [key, [{ value }]])));
  });
});
