/**
 * Tells the addresses of the public internet: any other that a name leads to is inside, and not to be reached from
 * outside.
 */

import { BlockList, isIP } from 'node:net';

/** This network, private, shared, loopback, link-local, for protocols and documentation, benchmarks, multicast, reserved. */
const INSIDE_4 = blocks('ipv4', [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
]);

/** All global unicast addresses: loopback, unspecified, mapped, translated, private, link-local and multicast are not in it. */
const GLOBAL_6 = blocks('ipv6', ['2000::/3']);
/** In it: for protocols (with Teredo), documentation, and 6to4, which carries an IPv4 address of any kind. */
const INSIDE_6 = blocks('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/**
 * Whether an IPv4 or IPv6 address is one of the public internet; a text that is no address is not.
 * @example isPublicAddress('::ffff:127.0.0.1'); // false
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !INSIDE_4.check(address, 'ipv4');
    case 6:
      return GLOBAL_6.check(address, 'ipv6') && !INSIDE_6.check(address, 'ipv6');
    default:
      return false;
  }
}

function blocks(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [net = '', bits] = range.split('/');
    list.addSubnet(net, Number(bits), family);
  }
  return list;
}
