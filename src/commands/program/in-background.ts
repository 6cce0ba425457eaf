/**
 * Runs work in the background. A rejection without a handler ends the process, so this is the only
 * way to ignore a promise (tidy).
 * @param onFailure called with the error of the work; its own errors are lost
 */
export function inBackground(
  work: Promise<unknown> | undefined,
  onFailure: (error: unknown) => void,
): void {
  work?.catch(onFailure).catch(() => undefined);
}
