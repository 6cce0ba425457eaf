import type { ExpectedValue } from '../program/complete-call.js';
import { type Answer, FILES, FOLDERS, fitting, NO_ANSWER } from '../program/completion-answer.js';

/** Values of zkserver that no declaration lists, for `__complete`. */
export async function completeServerValue({
  option,
  valueName,
  text,
}: ExpectedValue): Promise<Answer> {
  if (option === 'D') return completeProperty(text);
  if (valueName.includes('zoo.cfg')) return FILES;
  return /dir|folder/.test(valueName) ? FOLDERS : NO_ANSWER;
}

/** Properties that an option of zoo.cfg reads. */
async function completeProperty(text: string): Promise<Answer> {
  const { systemProperties } = await import('../../server/config/system-properties.js');
  const candidates = systemProperties().map(({ name, about }) => ({ value: `${name}=`, about }));
  return { candidates: fitting(candidates, text), isOpen: true };
}
