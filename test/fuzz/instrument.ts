/**
 * Puts a counter into each block of compiled code, because V8's own counters take milliseconds to
 * read. It reads lines, not JavaScript: the output of the compiler has one statement per line. The
 * fuzzer does not learn from a block that it misses.
 */

/** The name of the global function that counts a block. It returns true. */
export const COUNTER = '__fuzzBlock';

const COMMENT = /^\s*(\/\/|\/\*|\*)/;
const BLOCK = /(\)|=>|\b(?:else|try|catch|finally|do)) \{$/;
const NO_BLOCK = /^\s*(switch|(export )?(default )?class)\b/;
const CASE = /^\s*(case\b.*|default):( \{)?$/;
const CONDITION = /^(\s*(?:\} )?(?:else )?(?:if|while) \()(.*)\)$/;

/** @param nextBlock returns the number of the next block */
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

/** Whether it closes every parenthesis that it opens, and no other. */
function isWhole(condition: string): boolean {
  let depth = 0;
  for (const char of condition.replace(TEXT, '')) {
    if (char === '(') depth++;
    else if (char === ')' && --depth < 0) return false;
  }
  return depth === 0;
}
