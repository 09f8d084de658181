/**
 * Two embedded databases as a store of pairs: an object under its digest, and a value kept under a name. `pair` resolves when
 * both are on the disk; calls of one turn are one transaction.
 */

import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';

export const STORES = {
  async lmdb(folder) {
    const { open } = await import('lmdb');
    const root = open({ path: `${folder}/lmdb`, encoding: 'binary', maxDbs: 2 });
    const objects = root.openDB({ name: 'objects', encoding: 'binary' });
    const kept = root.openDB({ name: 'kept', encoding: 'binary' });
    return {
      async pair(ref, bytes, name, value) {
        await Promise.all([objects.put(ref, bytes), kept.put(`${name} ${digest(value)}`, value)]);
        await root.flushed;
      },
      object: async (ref) => objects.get(ref),
      kept: async (name) => [...kept.getRange({ start: `${name} `, end: `${name}!` })].map(({ value }) => value),
    };
  },

  async libsql(folder) {
    const { default: Database } = await import('libsql');
    mkdirSync(folder, { recursive: true });
    const db = new Database(`${folder}/store.db`);
    for (const pragma of ['busy_timeout = 60000', 'journal_mode = WAL', 'synchronous = FULL']) db.pragma(pragma);
    db.exec('CREATE TABLE IF NOT EXISTS objects (ref TEXT PRIMARY KEY, bytes BLOB) WITHOUT ROWID');
    db.exec('CREATE TABLE IF NOT EXISTS kept (name TEXT, value BLOB, PRIMARY KEY (name, value)) WITHOUT ROWID');
    const put = db.prepare('INSERT OR IGNORE INTO objects VALUES (?, ?)');
    const keep = db.prepare('INSERT OR IGNORE INTO kept VALUES (?, ?)');
    const get = db.prepare('SELECT bytes FROM objects WHERE ref = ?');
    const list = db.prepare('SELECT value FROM kept WHERE name = ?');
    let group = [];
    const commit = () => {
      const now = group;
      group = [];
      try {
        db.exec('BEGIN IMMEDIATE');
        for (const { ref, bytes, name, value } of now) {
          put.run(ref, bytes);
          keep.run(name, value);
        }
        db.exec('COMMIT');
        for (const { resolve } of now) resolve();
      } catch (error) {
        if (db.inTransaction) db.exec('ROLLBACK');
        for (const { reject } of now) reject(error);
      }
    };
    return {
      pair: (ref, bytes, name, value) =>
        new Promise((resolve, reject) => {
          if (group.push({ ref, bytes, name, value, resolve, reject }) === 1) setImmediate(commit);
        }),
      object: async (ref) => get.get(ref)?.bytes,
      kept: async (name) => list.all(name).map(({ value }) => Buffer.from(value)),
    };
  },
};

function digest(bytes) {
  return createHash('sha256').update(bytes).digest('base64url');
}
