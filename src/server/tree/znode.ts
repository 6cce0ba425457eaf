declare const brand: unique symbol;

/**
 * A znode of one tree, as the tree names it. It costs no object, so that a read makes none. Only
 * the tree can use it, and only until the znode is deleted: another one may have it then. A caller
 * that keeps it longer also keeps its generation (TreeReader.generationOf). It may be falsy: where
 * there may be none, compare with undefined or null.
 */
export interface Znode {
  readonly [brand]: true;
}
