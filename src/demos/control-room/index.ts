/** An operator's run whose steps write to hardware: a double of it, that counts every write. See README.md. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type PlanwrightConfig } from '../../config/index.ts';
import { paced } from '../paced.ts';
import { roomCapabilities } from './capabilities.ts';
import { createDeviceRoom, type DeviceRoom } from './device-room.ts';

export type { DeviceRoom } from './device-room.ts';
export { EDITED_CURRENT, EXPECTED_WRITES, OFFSET, type ExpectedWrite } from './planted.ts';
export type { RoomEntry } from './room-rules.ts';

interface ControlRoomOptions {
  /** Pause before each task, in milliseconds, for the eye. Default 0. */
  readonly paceMs?: number;
  /** The file that the device room is. Default `.planwright/control-room.jsonl` in the current folder. */
  readonly stateFile?: string;
}

/** A fresh room breaks these lines once each, after the first write: one that may be repeated, and one that may not. */
const BREAK_LINE_AFTER = ['QUAD:1:CURRENT', 'SHUTTER:1'];

export const demo = {
  name: 'control-room',
  title: 'Three scripted people, hardware that is written to once, a killed worker and a broken line',
  question:
    'Three people run a plan that reads monitors, asks for an offset, writes two set points and fires a shutter. ' +
    'Who must say what before anything is written, and is each thing written exactly once?',
  planFile: fileURLToPath(new URL('./plan.json', import.meta.url)),
  /** The approval rules of a run, as its option `approval`. */
  approvalFile: fileURLToPath(new URL('./approval.json', import.meta.url)),
  config: createConfig(),
  createConfig,
};

/** The configuration of a worker for this demo. */
export function createConfig({ paceMs = 0, stateFile }: ControlRoomOptions = {}): PlanwrightConfig {
  const capabilities = roomCapabilities(openRoom(stateFile)).map((capability) => paced(capability, paceMs));
  return defineConfig({ capabilities });
}

/** The room that the workers of the demo write to. */
export function openRoom(stateFile = resolve('.planwright/control-room.jsonl')): DeviceRoom {
  return createDeviceRoom(stateFile, BREAK_LINE_AFTER);
}

/** The option `approval` that the runs of this demo are started with. */
export function approvalOption(): NonNullable<PlanwrightConfig['approval']> {
  return JSON.parse(readFileSync(demo.approvalFile, 'utf8')) as NonNullable<PlanwrightConfig['approval']>;
}
