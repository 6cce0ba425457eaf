/**
 * Loads Ink, React and the components. Ink draws nothing live where CI is set, but a terminal with
 * a user is not CI. Without NODE_ENV, React loads its slow development build.
 */
export async function loadInk<T extends object>(load: () => Promise<T>) {
  const { CI, CONTINUOUS_INTEGRATION, NODE_ENV } = process.env;
  delete process.env['CI'];
  delete process.env['CONTINUOUS_INTEGRATION'];
  process.env['NODE_ENV'] ??= 'production';
  try {
    const [{ createElement }, { render }, drawn] = await Promise.all([
      import('react'),
      import('ink'),
      load(),
    ]);
    return { createElement, render, ...drawn };
  } finally {
    if (NODE_ENV === undefined) delete process.env['NODE_ENV'];
    if (CI !== undefined) process.env['CI'] = CI;
    if (CONTINUOUS_INTEGRATION !== undefined) {
      process.env['CONTINUOUS_INTEGRATION'] = CONTINUOUS_INTEGRATION;
    }
  }
}
