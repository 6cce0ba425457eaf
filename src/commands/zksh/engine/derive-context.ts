import type { CommandContext } from './command.js';

/** Does not copy the context, because reading `client` throws without a connection. */
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
