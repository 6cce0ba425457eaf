/**
 * Loads a module that draws with Ink. Ink stops live updates if CI is set, although a terminal is
 * interactive. Without NODE_ENV, React loads its slow development build.
 */
export async function loadInk<T>(load: () => Promise<T>): Promise<T> {
  const { CI, CONTINUOUS_INTEGRATION, NODE_ENV } = process.env;
  delete process.env['CI'];
  delete process.env['CONTINUOUS_INTEGRATION'];
  process.env['NODE_ENV'] ??= 'production';
  try {
    return await load();
  } finally {
    if (NODE_ENV === undefined) delete process.env['NODE_ENV'];
    if (CI !== undefined) process.env['CI'] = CI;
    if (CONTINUOUS_INTEGRATION !== undefined) {
      process.env['CONTINUOUS_INTEGRATION'] = CONTINUOUS_INTEGRATION;
    }
  }
}
