import type { Level } from '../../ensemble/verdict/result.js';
import { usageError } from '../../program/command-error.js';
import type { ShapeJson } from '../../selection/shape-json.js';
import type { CliWorld } from './cli-world.js';
import type { ParsedOptions } from './options.js';
import type { Report } from './task.js';

interface Shaped {
  readonly options: ParsedOptions;
  /** Undefined without --select and --template, and with -q, which prints no JSON. */
  readonly shape: ShapeJson | undefined;
}

/** With --select or --template, chooses a JSON format. @throws CommandError */
export async function withShape(options: ParsedOptions): Promise<Shaped> {
  const { select, template, output } = options;
  if (select === undefined && template === undefined) return { options, shape: undefined };
  const name = select === undefined ? '--template' : '--select';
  if (output !== 'table' && output !== 'json' && output !== 'ndjson') {
    throw usageError(`${name}: invalid format: ${output} (expected -o json or -o ndjson)`);
  }
  const chosen = output === 'table' ? (template === undefined ? 'json' : 'ndjson') : output;
  const { makeShape } = await import('../../selection/shape-json.js');
  try {
    const shape = makeShape({ select, template }, chosen === 'json' ? 2 : 0);
    const isQuiet = options.quiet === true;
    return { options: { ...options, output: chosen }, shape: isQuiet ? undefined : shape };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw usageError(error.message);
  }
}

/** The same world, whose JSON has this shape. */
export function shapedWorld(world: CliWorld, shape: ShapeJson | undefined): CliWorld {
  if (shape === undefined) return world;
  const { render, renderGrid } = world;
  return {
    ...world,
    render: (result, show) => shape(render(result, show).toString()),
    ...(renderGrid === undefined
      ? {}
      : { renderGrid: (grid, output) => shape(renderGrid(grid, output)) }),
  };
}

type Pieces = AsyncGenerator<string, Level, undefined>;

/** A text for another program keeps its form. */
export function shapedPieces(
  pieces: Pieces,
  { document }: Pick<Report, 'document'>,
  shape: ShapeJson | undefined,
  output: ParsedOptions['output'],
): Pieces {
  const isPlain = shape === undefined || document !== undefined;
  return isPlain ? pieces : piecesWith(shape, pieces, output);
}

/** Lines are shaped as they come, a document at its end. */
async function* piecesWith(
  shape: ShapeJson,
  pieces: Pieces,
  output: ParsedOptions['output'],
): Pieces {
  let document = '';
  try {
    for (;;) {
      const { value, done } = await pieces.next();
      if (done === true) {
        if (document !== '') yield shape(document);
        return value;
      }
      if (output === 'ndjson') yield shape(value);
      else document += value;
    }
  } finally {
    await pieces.return('healthy');
  }
}
