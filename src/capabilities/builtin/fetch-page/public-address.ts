/** Recognises addresses of the public internet. Any other address is internal and must not be reached from outside. */

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Global unicast, without addresses for protocols, documentation or benchmarks, or with an embedded IPv4 address. */
const GLOBAL_6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** Unicast addresses that answer inside a cloud: Azure's WireServer, and the service networks of IBM Cloud. */
const OF_CLOUDS = ['168.63.129.16/32', '161.26.0.0/16', '166.8.0.0/14'].map((range) => ipaddr.IPv4.parseCIDR(range));

/** Whether a text is a public IPv4 or IPv6 address. */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv6 ? address.match(GLOBAL_6) : !OF_CLOUDS.some((range) => address.match(range));
}
