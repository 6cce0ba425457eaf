import { completeByKind, type ExpectedValue } from '../machine/complete.js';
import { type Answer, fitting } from '../machine/completion-answer.js';

/** Values of zkserver that no declaration lists, for `__complete`. */
export async function completeServerValue(expected: ExpectedValue): Promise<Answer> {
  return expected.option === 'property'
    ? completeProperty(expected.text)
    : completeByKind(expected);
}

/** Properties that an option of zoo.cfg reads. */
async function completeProperty(text: string): Promise<Answer> {
  const { systemProperties } = await import('../../server/config/system-properties.js');
  const candidates = systemProperties().map(({ name, about }) => ({ value: `${name}=`, about }));
  return { candidates: fitting(candidates, text), isOpen: true };
}
