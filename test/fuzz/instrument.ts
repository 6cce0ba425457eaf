/**
 * Puts a counter into each block of compiled code. V8's own counters cost milliseconds for each
 * reading, so that a learning fuzzer could try a hundred inputs a second.
 *
 * It reads lines, not JavaScript: the compiler's output has one statement on each. A block that it
 * does not see is a block that the fuzzer does not learn from, and nothing worse.
 */

/** The name of the global function that notes a block; it gives true. */
export const COUNTER = '__fuzzBlock';

const COMMENT = /^\s*(\/\/|\/\*|\*)/;
const BLOCK = /(\)|=>|\b(?:else|try|catch|finally|do)) \{$/;
const NO_BLOCK = /^\s*(switch|(export )?(default )?class)\b/;
const CASE = /^\s*(case\b.*|default):( \{)?$/;
const CONDITION = /^(\s*(?:\} )?(?:else )?(?:if|while) \()(.*)\)$/;

/** @param nextBlock gives the number of the next block */
export function instrument(source: string, nextBlock: () => number): string {
  return source
    .split('\n')
    .map((line) => {
      if (COMMENT.test(line)) return line;
      if (CASE.test(line) || (BLOCK.test(line) && !NO_BLOCK.test(line))) {
        return `${line} ${COUNTER}(${nextBlock()});`;
      }
      const [, head, condition = ''] = CONDITION.exec(line) ?? [];
      if (head === undefined || !isWhole(condition)) return line;
      return `${head}(${condition}) && ${COUNTER}(${nextBlock()}))`;
    })
    .join('\n');
}

const TEXT = /'[^']*'|"[^"]*"|\/(\\.|[^/\\])+\//g;

/** Closes every parenthesis that it opens, and none before. */
function isWhole(condition: string): boolean {
  let depth = 0;
  for (const char of condition.replace(TEXT, '')) {
    if (char === '(') depth++;
    else if (char === ')' && --depth < 0) return false;
  }
  return depth === 0;
}
