import ts from 'typescript';

/** Where a fault goes: a text that stands exactly once in the declarations of a name, or in the whole file. */
export interface Place {
  /** A function, method, class, constant or property of the file. */
  readonly in?: string;
  readonly find: string;
  readonly replace: string;
}

/** Returns the code with the fault in it, or null unless its place is there exactly once. */
export function withFault(code: string, { in: name, find, replace }: Place): string | null {
  const spans = name === undefined ? [{ pos: 0, end: code.length }] : declarationsOf(name, code);
  const places = spans.flatMap(({ pos, end }) => positionsOf(find, code, pos, end));
  const [at] = places;
  if (at === undefined || places.length > 1) return null;
  return code.slice(0, at) + replace + code.slice(at + find.length);
}

function positionsOf(find: string, code: string, from: number, end: number): number[] {
  const found: number[] = [];
  for (
    let at = code.indexOf(find, from);
    at >= 0 && at + find.length <= end;
    at = code.indexOf(find, at + 1)
  ) {
    found.push(at);
  }
  return found;
}

function declarationsOf(name: string, code: string): ts.TextRange[] {
  const source = ts.createSourceFile('code.ts', code, ts.ScriptTarget.Latest, true);
  const found: ts.TextRange[] = [];
  const visit = (node: ts.Node): void => {
    if (isDeclaration(node) && node.name?.getText(source) === name) {
      found.push({ pos: node.getStart(source), end: node.end });
    } else {
      ts.forEachChild(node, visit);
    }
  };
  visit(source);
  return found;
}

const isDeclaration = (node: ts.Node): node is ts.NamedDeclaration =>
  ts.isFunctionDeclaration(node) ||
  ts.isClassDeclaration(node) ||
  ts.isClassElement(node) ||
  ts.isVariableDeclaration(node) ||
  ts.isPropertyAssignment(node);
