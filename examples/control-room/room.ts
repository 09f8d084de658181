/** The device room of this demo, and the rules under which its runs may write to it. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { PlanwrightConfig } from 'planwright';
import { createDeviceRoom, type DeviceRoom } from './device-room.ts';

/** A fresh room breaks these lines once each, after the first write: one that may be repeated, and one that may not. */
const BREAK_LINE_AFTER = ['QUAD:1:CURRENT', 'SHUTTER:1'];

/** The room that the workers of the demo write to. */
export function openRoom(stateFile = resolve('.planwright/control-room.jsonl')): DeviceRoom {
  return createDeviceRoom(stateFile, BREAK_LINE_AFTER);
}

/** The option `approval` that the runs of this demo are started with. */
export function approvalOption(): NonNullable<PlanwrightConfig['approval']> {
  const file = new URL('./approval.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as NonNullable<PlanwrightConfig['approval']>;
}
