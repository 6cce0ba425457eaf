// A password: never shown or recorded.

import { asksForPassword } from '../../commands/zksh/engine/asks-for-password.js';
import { parseLine } from '../../commands/zksh/language/parse-line.js';
import type { KeyAction } from './keymap.js';
import { EMPTY_LINE, editLine, type LineAction, type LineState } from './line-editor.js';

export interface SecretEntry {
  /** Undefined until the command asks. */
  readonly question: string | undefined;
  readonly line: LineState;
  /** Enter was pressed before the command asked. */
  readonly isEntered: boolean;
}

export interface SecretStep {
  readonly secret: SecretEntry | undefined;
  readonly entered?: { readonly question: string; readonly text: string };
}

const NOTHING: SecretEntry = { question: undefined, line: EMPTY_LINE, isEntered: false };

/** Starts before the command asks, so that text typed ahead is hidden, too. */
export function beginSecret(line: string): SecretEntry | undefined {
  const asks = parseLine(line).statements.some(({ tokens }) => asksForPassword(tokens));
  return asks ? NOTHING : undefined;
}

export function askSecret(secret: SecretEntry = NOTHING, question: string): SecretStep {
  const asked = { ...secret, question };
  return secret.isEntered ? enterSecret(asked) : { secret: asked };
}

const UNSEEN_EDITS: readonly LineAction['type'][] = [
  'insert',
  'delete-left',
  'kill-to-start',
  'kill-word-left',
];

export function typeSecret(secret: SecretEntry, action: KeyAction): SecretStep {
  if (action.type === 'enter') return enterSecret(secret);
  const isEdit = action.type === 'edit' && UNSEEN_EDITS.includes(action.action.type);
  if (!isEdit || secret.isEntered) return { secret };
  return { secret: { ...secret, line: editLine(secret.line, action.action, []) } };
}

function enterSecret(secret: SecretEntry): SecretStep {
  const { question, line } = secret;
  if (question === undefined) return { secret: { ...secret, isEntered: true } };
  return { secret: undefined, entered: { question, text: line.text } };
}
