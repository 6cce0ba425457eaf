/**
 * The mutations of a module: one condition, bound, order, or call of its compiled code changed at a
 * time. The compiler only erases types, so a change of its output is a change of the source.
 */
import { type AnyNode, type CallExpression, type ExpressionStatement, parse } from 'acorn';
import { fullAncestor } from 'acorn-walk';

export interface Mutation {
  /** Offsets in the compiled code. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** What changed, for a person: `<` to `<=`. */
  readonly change: string;
}

const OPERATORS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '-': '+',
  '*': '+',
  '&': '|',
  '|': '&',
  '<<': '>>',
  '>>': '<<',
};

const METHODS: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  push: 'unshift',
  shift: 'pop',
};

/** Text for people. A change in it changes no decision. */
const ONLY_TEXT =
  /^(assert|unreachable|log|warn|info|debug|trace|describe|show|format)|Text$|Error$/;

interface Place {
  readonly code: string;
  readonly found: Mutation[];
}

function textOf(place: Place, node: AnyNode): string {
  return place.code.slice(node.start, node.end);
}

function replace(place: Place, node: AnyNode, replacement: string, change: string): void {
  place.found.push({ start: node.start, end: node.end, replacement, change });
}

/** The name of a called function or method. */
function calleeOf({ callee }: { readonly callee: AnyNode }): string {
  if (callee.type === 'Identifier') return callee.name;
  if (callee.type !== 'MemberExpression') return '';
  return callee.property.type === 'Identifier' ? callee.property.name : '';
}

function isOnlyText(node: AnyNode): boolean {
  if (node.type === 'ThrowStatement' || node.type === 'TemplateLiteral') return true;
  const isCall = node.type === 'CallExpression' || node.type === 'NewExpression';
  return isCall && ONLY_TEXT.test(calleeOf(node));
}

/** The operator stands between the operands, beside spaces and parentheses. */
function mutateOperator(place: Place, node: AnyNode): void {
  if (node.type !== 'BinaryExpression' && node.type !== 'LogicalExpression') return;
  const isSum = node.operator === '+' && [node.left, node.right].some(isNumber);
  const other = isSum ? '-' : OPERATORS[node.operator];
  if (other === undefined) return;
  const start = place.code.indexOf(node.operator, node.left.end);
  const end = start + node.operator.length;
  const change = `${node.operator} to ${other}`;
  place.found.push({ start, end, replacement: other, change });
}

function isNumber(node: AnyNode): boolean {
  return node.type === 'Literal' && typeof node.value === 'number';
}

function mutateLiteral(place: Place, node: AnyNode): void {
  if (node.type !== 'Literal') return;
  const text = textOf(place, node);
  if (typeof node.value === 'boolean') {
    replace(place, node, String(!node.value), `${text} to ${!node.value}`);
  } else if (typeof node.value === 'number' || typeof node.value === 'bigint') {
    replace(place, node, `(${text} + ${text.endsWith('n') ? '1n' : '1'})`, `${text} plus 1`);
  }
}

function mutateCondition(place: Place, node: AnyNode): void {
  if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') {
    const test = textOf(place, node.test);
    replace(place, node.test, `!(${test})`, `not (${test})`);
    if (node.type !== 'IfStatement' || node.alternate) return;
    replace(place, node, ';', 'left out the if');
  } else if (node.type === 'UnaryExpression' && node.operator === '!') {
    replace(place, node, textOf(place, node.argument), 'left out the !');
  }
}

function mutateMethod(place: Place, node: AnyNode): void {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return;
  const name = calleeOf(node);
  const other = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (other === undefined) return;
  replace(place, node.callee.property, other, `${name} to ${other}`);
}

function callOf(node: AnyNode | undefined): CallExpression | undefined {
  if (node?.type !== 'ExpressionStatement' || node.expression.type !== 'CallExpression') return;
  const isKept = node.expression.callee.type === 'Super' || isOnlyText(node.expression);
  return isKept ? undefined : node.expression;
}

/** Leaves out a statement with an effect, or swaps it with the next one. */
function mutateStatements(place: Place, node: AnyNode): void {
  if (node.type !== 'BlockStatement') return;
  node.body.forEach((statement, at) => {
    const next = node.body[at + 1];
    const text = textOf(place, statement);
    if (isAssignment(statement) || callOf(statement) !== undefined) {
      replace(place, statement, ';', `left out ${text}`);
    }
    if (next === undefined || callOf(statement) === undefined || callOf(next) === undefined) return;
    const swapped = `${textOf(place, next)} ${text}`;
    const range = { start: statement.start, end: next.end };
    place.found.push({ ...range, replacement: swapped, change: `swapped with the next: ${text}` });
  });
}

/** A write to a field or a variable. Constructors only store what they got. */
function isAssignment(node: AnyNode): node is ExpressionStatement {
  if (node.type !== 'ExpressionStatement') return false;
  const { expression } = node;
  if (expression.type === 'UpdateExpression') return true;
  return expression.type === 'AssignmentExpression';
}

function isConstructor(node: AnyNode): boolean {
  return node.type === 'MethodDefinition' && node.kind === 'constructor';
}

/** All mutations of a compiled module, in the order of their places. */
export function mutationsOf(code: string): Mutation[] {
  const place: Place = { code, found: [] };
  const seen = new Set<AnyNode>();
  const tree = parse(code, { ecmaVersion: 'latest', sourceType: 'module' });
  fullAncestor(tree, (node, _state, ancestors) => {
    if (seen.has(node) || ancestors.some((one) => isOnlyText(one) || isConstructor(one))) return;
    seen.add(node);
    mutateOperator(place, node);
    mutateLiteral(place, node);
    mutateCondition(place, node);
    mutateMethod(place, node);
    mutateStatements(place, node);
  });
  return place.found.sort((a, b) => a.start - b.start || a.end - b.end);
}

export function mutate(code: string, { start, end, replacement }: Mutation): string {
  return code.slice(0, start) + replacement + code.slice(end);
}
