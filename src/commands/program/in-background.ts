/**
 * Lets work go on that nobody waits for. A rejection without a handler ends the process, so this is
 * the one way to leave a promise alone (tidy).
 * @param onFailure called with what the work failed with; what it throws itself is lost
 */
export function inBackground(
  work: Promise<unknown> | undefined,
  onFailure: (error: unknown) => void,
): void {
  work?.catch(onFailure).catch(() => undefined);
}
