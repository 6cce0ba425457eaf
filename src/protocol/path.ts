/** The rules of PathUtils.validatePath, and functions on paths. */

/**
 * Describes why a path is invalid, as a clause of a sentence; undefined if it is valid. A
 * sequential create may end in "/": the number becomes the name.
 * @param from where the first name begins that may be invalid, such as below an existing znode
 */
export function pathFault(path: string, isSequential = false, from = 1): string | undefined {
  const checked = isSequential ? `${path}1` : path;
  if (checked.length === 0) return 'it is empty';
  if (checked.charCodeAt(0) !== SLASH) return 'it does not start with /';
  if (checked.length === 1) return undefined;
  if (checked.charCodeAt(checked.length - 1) === SLASH) return 'it ends with /';
  let start = from;
  for (let i = from; i <= checked.length; i++) {
    const unit = i === checked.length ? SLASH : checked.charCodeAt(i);
    if (unit === SLASH) {
      const fault = componentFault(checked, start, i);
      if (fault !== undefined) return fault;
      start = i + 1;
    } else if (isForbidden(unit)) {
      // For a surrogate pair, report the whole character.
      const point = checked.codePointAt(i) ?? unit;
      return `the character U+${point.toString(16).toUpperCase().padStart(4, '0')} at ${i} is not allowed`;
    }
  }
  return undefined;
}

const SLASH = 0x2f;
const DOT = 0x2e;

function componentFault(path: string, start: number, end: number): string | undefined {
  const length = end - start;
  if (length === 0) return `it has an empty name at ${start}`;
  if (length <= 2 && path.charCodeAt(start) === DOT && path.charCodeAt(end - 1) === DOT) {
    return `it has a relative name at ${start}`;
  }
  return undefined;
}

/** Tests UTF-16 units: surrogates are forbidden, and so is every character outside the BMP. */
function isForbidden(unit: number): boolean {
  return (
    unit <= 0x1f ||
    (unit >= 0x7f && unit <= 0x9f) ||
    (unit >= 0xd800 && unit <= 0xf8ff) ||
    unit >= 0xfff0
  );
}

/** "/a/b" -> "/a"; "/a" -> "/"; "/" -> "". */
export function parentPath(path: string): string {
  const slash = path.lastIndexOf('/');
  if (slash > 0) return path.slice(0, slash);
  return path.length > 1 ? '/' : '';
}

/** Whether `parent` is the parent of `path`. Allocates nothing. False for empty names. */
export function isParentPath(parent: string, path: string): boolean {
  const slash = parent.length === 1 ? 0 : parent.length;
  return (
    path.charCodeAt(slash) === SLASH &&
    path.indexOf('/', slash + 1) === -1 &&
    path.startsWith(parent)
  );
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function childPath(parent: string, name: string): string {
  return parent === '/' || parent === '' ? `/${name}` : `${parent}/${name}`;
}

/** Whether `path` is the znode `ancestor` or below it. */
export function isWithin(path: string, ancestor: string): boolean {
  return ancestor === '/' || path === ancestor || path.startsWith(`${ancestor}/`);
}

/** The suffix of a sequential znode: the parent's cversion as a signed 32-bit "%010d". */
export function sequenceSuffix(cversion: number): string {
  return cversion < 0
    ? `-${String(-cversion).padStart(9, '0')}`
    : String(cversion).padStart(10, '0');
}

/** The order of a walk: parents before their children, and children by name. */
export function compareWalk(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [a.split('/'), b.split('/')];
  for (let at = 0; at < left.length && at < right.length; at++) {
    const order = compareNames(left[at] ?? '', right[at] ?? '');
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** By UTF-16 units, like Java's sort. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
