import { NO_STAT, type StatPersisted } from '../../../src/protocol/data.js';

const { dataLength: _, numChildren: __, ...persisted } = NO_STAT;

/** NO_STAT without the fields that no file holds. */
export const BLANK_STAT: StatPersisted = persisted;
