/** TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 is ECDHE-RSA-AES128-GCM-SHA256 in OpenSSL. */
export function opensslName(javaName: string): string {
  const match = /^(?:TLS|SSL)_(.+)_WITH_(.+)$/.exec(javaName);
  if (match === null) return javaName.toUpperCase();
  const [, exchange = '', cipher = ''] = match;
  const bulk = cipher
    .replace(/^AES_(\d+)_CBC_/, 'AES$1_')
    .replace(/^AES_(\d+)_/, 'AES$1_')
    .replace(/^CHACHA20_POLY1305_SHA256$/, 'CHACHA20_POLY1305')
    .replace(/^3DES_EDE_CBC_/, 'DES_CBC3_');
  const prefix = exchange === 'RSA' ? '' : `${exchange}-`;
  return `${prefix}${bulk}`.replaceAll('_', '-').toUpperCase();
}
