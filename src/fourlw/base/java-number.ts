/** Prints a double as Java's Double.toString does: `9.0`, `5.0E-4` below 1e-3, `1.2E7` from 1e7. */
export function formatJavaDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e7) {
    const text = String(value);
    return text.includes('.') ? text : `${text}.0`;
  }
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const mantissa = digits.includes('.') ? digits : `${digits}.0`;
  return `${mantissa}E${exponent.replace('+', '')}`;
}

/** At most four decimals, rounded half up on the exact double (AvgMinMaxCounter.getAvg). */
export function formatMean(value: number): string {
  return formatJavaDouble(Number(value.toFixed(4)));
}

/** Parses the numbers of Java and of Go: `17`, `5.0E-4`, `NaN`; undefined for anything else. */
export function parseJavaNumber(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed === 'NaN') return Number.NaN;
  if (!/^[-+]?(\d+(?:\.\d*)?|\.\d+)([eE][-+]?\d+)?$/.test(trimmed)) return undefined;
  return Number(trimmed);
}

/** Reads a 64-bit integer: `0x1a`, `26`, `-1`; undefined for anything else. */
export function parseInteger(text: string): bigint | undefined {
  const match = /^(-?)(0x[0-9a-f]+|\d+)$/i.exec(text.trim());
  if (match?.[2] === undefined) return undefined;
  const value = BigInt(match[2]);
  return match[1] === '-' ? -value : value;
}

/** Reads hex digits without 0x; undefined for anything else. */
export function parseHex(text: string): bigint | undefined {
  return /^[0-9a-f]+$/i.test(text) ? BigInt(`0x${text}`) : undefined;
}
