import { WORDS, type WordName } from '../../fourlw/index.js';

type Readable = { readonly [Name in WordName]: (text: string) => boolean };

const hasServer = (text: string) => WORDS.srvr.parse(text).mode !== undefined;
const hasMask = (text: string) => WORDS.gtmk.parse(text).mask !== undefined;
const isReset = (text: string) => WORDS.srst.parse(text).isDone;

const READABLE: Readable = {
  ruok: (text) => WORDS.ruok.parse(text).isOk,
  isro: (text) => WORDS.isro.parse(text).state !== undefined,
  srvr: hasServer,
  stat: hasServer,
  mntr: (text) => WORDS.mntr.parse(text).values.size > 0,
  // An answer without connections is valid, and a line of an unknown format, too.
  cons: (text) => {
    const { connections, unknown } = WORDS.cons.parse(text);
    return connections.length > 0 || unknown.length === 0;
  },
  conf: (text) => Object.keys(WORDS.conf.parse(text).values).length > 0,
  envi: (text) => Object.keys(WORDS.envi.parse(text).values).length > 0,
  wchs: (text) => WORDS.wchs.parse(text).watches !== undefined,
  wchc: (text) => WORDS.wchc.parse(text).sessions.every(([id]) => id.startsWith('0x')),
  wchp: (text) => WORDS.wchp.parse(text).paths.every(([path]) => path.startsWith('/')),
  dump: (text) => /dump/i.test(text),
  dirs: (text) => WORDS.dirs.parse(text).dataDirSize !== undefined,
  hash: (text) => WORDS.hash.parse(text).unknown.length === 0,
  gtmk: hasMask,
  stmk: hasMask,
  crst: isReset,
  srst: isReset,
};

/** Tells an answer of any dialect from that of another program, such as a web server. */
export function isReadable(word: WordName, text: string): boolean {
  return READABLE[word](text);
}
