import { usageError } from '../program/command-error.js';
import type { OutputFormat, Renderer } from './results/render.js';
import type { ZkshOptions } from './zksh-options.js';

type ShapeOptions = Pick<ZkshOptions, 'select' | 'template' | 'format' | 'isFormatChosen'>;

/** With --select or --template, JSON unless the command line has a format. @throws CommandError */
export function formatOf({ select, template, format, isFormatChosen }: ShapeOptions): OutputFormat {
  if (select === undefined && template === undefined) return format;
  if (!isFormatChosen) return template === undefined ? 'json' : 'ndjson';
  if (format === 'json' || format === 'ndjson') return format;
  const name = select === undefined ? '--template' : '--select';
  throw usageError(`${name}: invalid format: ${format} (expected -o json or -o ndjson)`);
}

/** Errors keep their form. @throws CommandError USAGE for an invalid expression */
export async function shapedRenderer(renderer: Renderer, options: ShapeOptions): Promise<Renderer> {
  const { select, template } = options;
  if (select === undefined && template === undefined) return renderer;
  const { makeShape } = await import('../selection/shape-json.js');
  try {
    const shape = makeShape({ select, template }, formatOf(options) === 'json' ? 2 : 0);
    return { ...renderer, result: (result) => shape(renderer.result(result).toString()) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw usageError(error.message);
  }
}
