/**
 * What makes a cluster: a database, its schema, a Temporal server, its namespace, two workers. `start.mjs` carries the steps out with
 * programs of this machine, docker-compose.yml with containers; test/compose.test.ts compares them.
 */

export const VERSIONS = {
  /** Of the server and of the tool that makes its schema. */
  temporal: '1.29.1',
  /** The image that has the tool beside the CLI. */
  adminTools: '1.29.1-tctl-1.18.4-cli-1.5.0',
  postgres: '16',
};

export const USER = 'postgres';
export const PASSWORD = 'planwright';
/** The kind of the database, as the server and its tool name it. */
export const PLUGIN = 'postgres12';
/** The database of the result store. */
export const STORE_DATABASE = 'planwright';
export const DATABASES = { temporal: 'temporal', visibility: 'temporal_visibility' };
export const NAMESPACE = 'default';

/** The arguments of `temporal-sql-tool`, in their order. @param {string} schema the folder that has the schema of PostgreSQL */
export function schemaSteps(schema) {
  return [
    ...Object.entries(DATABASES).flatMap(([name, database]) => [
      ['--db', database, 'create'],
      ['--db', database, 'setup-schema', '-v', '0.0'],
      ['--db', database, 'update-schema', '-d', `${schema}/${name}/versioned`],
    ]),
    ['--db', STORE_DATABASE, 'create'],
  ];
}

/** The arguments of `temporal`: the second where the first fails. */
export const NAMESPACE_STEPS = [
  ['operator', 'namespace', 'describe', '-n', NAMESPACE],
  ['operator', 'namespace', 'create', '-n', NAMESPACE, '--retention', '24h'],
];

/** @param {string} host of the database, with its port */
export function storeUrl(host) {
  return `postgres://${USER}:${PASSWORD}@${host}/${STORE_DATABASE}`;
}

/** The arguments of `planwright`; each worker stands in a folder of its own. */
export const WORKER = ['worker', '--demo', 'gene-strategies'];
export const WORKERS = ['a', 'b'];
