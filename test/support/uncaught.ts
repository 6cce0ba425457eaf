/** Runs `work`, and returns the messages of what nobody caught meanwhile. */
export async function uncaughtIn(work: () => Promise<void>): Promise<readonly string[]> {
  const uncaught: string[] = [];
  const note = (error: Error): void => void uncaught.push(error.message);
  process.on('uncaughtException', note);
  try {
    await work();
  } finally {
    process.off('uncaughtException', note);
  }
  return uncaught;
}
