/** The words that change nothing; stat and dump are other commands of zksh. */
export const FOUR_LETTER_NAMES = [
  'ruok',
  'srvr',
  'mntr',
  'cons',
  'conf',
  'envi',
  'isro',
  'wchs',
  'wchc',
  'wchp',
  'dirs',
  'hash',
] as const;
