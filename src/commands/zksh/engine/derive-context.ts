import type { CommandContext } from './command.js';

/**
 * The same context but for some of it. Not copied: asking for the client is for those who need one.
 */
export function deriveContext(
  context: CommandContext,
  changes: Partial<CommandContext> | { readonly client: () => CommandContext['client'] },
): CommandContext {
  const properties = Object.entries(changes).map(([name, value]) => [
    name,
    name === 'client' && typeof value === 'function' ? { get: value } : { value },
  ]);
  return Object.create(context, Object.fromEntries(properties));
}
