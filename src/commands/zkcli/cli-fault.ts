/** An error that ends a command of Apache's shell: the text for stderr, and the exit status. */
export class CliFault extends Error {
  override readonly name = 'CliFault';
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }

  /** An exception that Apache's shell prints with its class name. */
  static java(className: string, lines: readonly string[], exitCode = 1): CliFault {
    return new CliFault(`${className}: ${lines.join('\n')}`, exitCode);
  }
}
