/**
 * The only way to ignore a promise (tidy), because a rejection without a handler ends the process.
 * @param onFailure receives the error of the work; its own errors are lost
 */
export function inBackground(
  work: Promise<unknown> | undefined,
  onFailure: (error: unknown) => void,
): void {
  work?.catch(onFailure).catch(() => undefined);
}
