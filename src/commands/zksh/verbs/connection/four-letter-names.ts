/** Words that change nothing, except stat and dump, which are commands of zksh. */
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
