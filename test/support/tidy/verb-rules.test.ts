import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseSource } from './source-file.js';
import { findVerbImports } from './verb-rules.js';

const VERBS = 'src/commands/zksh/verbs';

test('a verb that imports a verb is found, and a helper beside it is not', () => {
  const files = [
    parseSource(
      `${VERBS}/move/cp.ts`,
      "import './place.js';\nexport const cp = defineCommand({});",
    ),
    parseSource(`${VERBS}/move/mv.ts`, "import './place.js';\nimport { a } from './cp.js';"),
    parseSource(`${VERBS}/move/place.ts`, ''),
  ];
  assert.equal(findVerbImports(files), [
    `${VERBS}/move/mv.ts:2: imports the verb ${VERBS}/move/cp.ts`,
  ]);
});

test('an import of a room of verbs from outside is found, except by the registry', () => {
  const files = [
    parseSource(`${VERBS}/acl/addauth.ts`, 'export const addauth = defineCommand({});'),
    parseSource(`${VERBS}/tree/who.ts`, "import type { A } from '../acl/helper.js';"),
    parseSource('src/shell/a.ts', "await import('../commands/zksh/verbs/acl/addauth.js');"),
    parseSource('src/commands/zksh/running/registry.ts', "import('../verbs/acl/addauth.js');"),
  ];
  assert.equal(findVerbImports(files), [
    `${VERBS}/tree/who.ts:1: imports ${VERBS}/acl/helper.ts`,
    `src/shell/a.ts:1: imports ${VERBS}/acl/addauth.ts`,
  ]);
});

test.run();
