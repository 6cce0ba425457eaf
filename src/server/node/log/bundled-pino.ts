/** A build puts the package into this module (scripts/packages.mjs): the library installs none. */
import { destination, pino, stdTimeFunctions } from 'pino';

export const bundledPino = { destination, pino, stdTimeFunctions };
