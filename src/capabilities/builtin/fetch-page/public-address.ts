/**
 * Tells the addresses of the public internet: any other that a name leads to is inside, and not to be reached from
 * outside.
 */

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Global unicast; what is for protocols, documentation or benchmarks, or carries an IPv4 address of any kind, is none of it. */
const GLOBAL_6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** Unicast by their numbers, and answered inside a cloud: Azure's WireServer, and the service networks of IBM Cloud. */
const OF_CLOUDS = ['168.63.129.16/32', '161.26.0.0/16', '166.8.0.0/14'].map((range) => ipaddr.IPv4.parseCIDR(range));

/**
 * Whether an IPv4 or IPv6 address is one of the public internet; a text that is no address is not.
 * @example isPublicAddress('::ffff:127.0.0.1'); // false
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv6 ? address.match(GLOBAL_6) : !OF_CLOUDS.some((range) => address.match(range));
}
