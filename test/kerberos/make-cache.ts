/** A credential cache as kinit writes it, with a ticket and a setting. */
import { ByteBuilder } from '../support/bytes/byte-builder.js';

const REALM = 'EXAMPLE.TEST';

export function makeCache(format: 3 | 4): Buffer {
  const bytes = new ByteBuilder().byte(5).byte(format);
  const text = (value: string): void => {
    bytes.int(value.length).bytes(Buffer.from(value));
  };
  const principal = (names: readonly string[], realm = REALM): void => {
    bytes.int(1).int(names.length);
    for (const part of [realm, ...names]) text(part);
  };
  const credentials = (service: readonly string[], realm: string, ticket: string): void => {
    principal(['alice']);
    principal(service, realm);
    bytes.byte(0).byte(18);
    if (format === 3) bytes.byte(0).byte(18);
    bytes.int(32).bytes(Buffer.alloc(32, 7));
    // Login, start, end, renewable; a flag, and flags.
    bytes.int(1000).int(2000).int(3000).int(4000).byte(0).int(0x40e1_0000);
    // An address, and no authorization data.
    bytes
      .int(1)
      .byte(0)
      .byte(2)
      .int(4)
      .bytes(Buffer.from([127, 0, 0, 1]))
      .int(0);
    text(ticket);
    text('');
  };
  if (format === 4) bytes.byte(0).byte(12).byte(0).byte(1).byte(0).byte(8).int(0).int(0);
  principal(['alice']);
  credentials(['krb5_ccache_conf_data', 'fast_avail'], 'X-CACHECONF:', 'yes');
  credentials(['krbtgt', REALM], REALM, 'ticket');
  return bytes.build();
}
