/**
 * A double of a device room: no hardware, one file. Every request that arrives is appended to it before anything else
 * happens, so that a sender that dies leaves what it did, as it would at real devices. The effect of the requests follows
 * from their order in the file.
 */

import { randomUUID } from 'node:crypto';
import { READABLE, readingOf, type Reading } from './channels.ts';
import { requestFile } from './request-file.ts';
import { playRoom, unknownChannel, type Room, type RoomEntry, type RoomRequest } from './room-rules.ts';

export interface DeviceRoom {
  readonly file: string;
  /** @throws RangeError that names the channels, for one that is not there. */
  read(channel: string): Reading;
  /**
   * Sends a request and waits for the answer.
   * @throws LineBroken when the line broke before the answer came: the request may have been carried out.
   */
  send(request: Pick<RoomRequest, 'channel' | 'value' | 'key'>): RoomEntry;
  /** Everything that arrived so far, and where it left the room: what a person sees who stands in it. */
  look(): Room;
}

export class LineBroken extends Error {
  override readonly name = 'LineBroken';
}

/** The first line of the file; the requests follow, one a line. */
interface Opening {
  readonly room: 'a double, no hardware';
  readonly breakLineAfter: readonly string[];
}

/** `breakLineAfter` counts for a fresh room; one that is there already stays as it was told. */
export function createDeviceRoom(file: string, breakLineAfter: readonly string[] = []): DeviceRoom {
  const sentSoFar = requestFile<Opening, RoomRequest>(file, { room: 'a double, no hardware', breakLineAfter });
  return {
    file,
    read(channel) {
      const reading = readingOf(channel, look());
      if (reading === undefined) throw new RangeError(unknownChannel(channel, READABLE));
      return reading;
    },
    send(request) {
      const { channel, value, key } = request;
      const sent = { id: randomUUID(), at: new Date().toISOString(), pid: process.pid, channel, value, key };
      sentSoFar.append(sent);
      const entry = look().entries.find(({ id }) => id === sent.id);
      if (entry === undefined) throw new Error(`${file} has lost what was appended to it`);
      if (entry.lineBroke) throw new LineBroken(`the line to ${channel} broke before it answered`);
      return entry;
    },
    look,
  };

  function look(): Room {
    const { opening, requests } = sentSoFar.read();
    return playRoom(requests, opening?.breakLineAfter);
  }
}
