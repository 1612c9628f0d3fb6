import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The text of each file by its path below `src`, with forward slashes. */
type Sources = Readonly<Record<string, string>>;

/** A role's place: a file may import files of its own context whose role stands before its own. */
const PLACES = ['contract', 'domain', 'store', 'service', 'reconcile', 'api', 'controller', 'module'];
/** Files without a role (`passwords.ts`, `sandbox.ts`) stand between domain and service, beside the store. */
const NO_ROLE = 'helper';

const isSpec = (path: string): boolean => path.endsWith('spec.ts');
const contextOf = (path: string): string => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '');

function roleOf(path: string): string {
  const [, role] = /^[^/]+\/[^/]+\.([a-z]+)\.ts$/.exec(path) ?? [];
  return role !== undefined && PLACES.includes(role) ? role : NO_ROLE;
}

/** The contexts: the folders that hold a module. */
function contextsOf(sources: Sources): Set<string> {
  return new Set(
    Object.keys(sources)
      .filter((path) => path.endsWith('.module.ts'))
      .map(contextOf)
      .filter(Boolean),
  );
}

/** What a file names in `import`, `export … from` and `import()`. */
function importsOf(path: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const target =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? node.moduleSpecifier
        : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
          ? node.arguments[0]
          : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
            ? node.argument.literal
            : undefined;
    if (target && ts.isStringLiteral(target)) found.push(target.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return found;
}

/** Why a file may not import a file of its own context; null when it may. */
function wrongWithin(from: string, to: string): string | null {
  const [role, imported] = [roleOf(from), roleOf(to)];
  if (role === NO_ROLE) {
    return imported === NO_ROLE || ['contract', 'domain'].includes(imported)
      ? null
      : `a file without a role imports ${imported}`;
  }
  if (imported === NO_ROLE) {
    return PLACES.indexOf(role) >= PLACES.indexOf('service') ? null : `${role} imports a file without a role`;
  }
  return PLACES.indexOf(imported) < PLACES.indexOf(role) ? null : `${role} imports ${imported}`;
}

/** Why one file of ours may not import another; null when it may. */
function wrongImport(from: string, to: string, contexts: ReadonlySet<string>): string | null {
  const [here, there] = [contextOf(from), contextOf(to)];
  if (here === '' && !contexts.has(here)) return null;
  if (here === 'shared') return there === 'shared' ? null : 'shared imports what is not shared';
  if (there === 'shared') return null;
  if (there === 'http') {
    const may = here === 'http' || roleOf(from) === 'controller' || /\.(guard|api)\.ts$/.test(from);
    return may ? null : 'only controllers and guards import http';
  }
  if (contexts.has(there) && here !== there) {
    if (roleOf(to) === 'contract') return null;
    return roleOf(from) === 'module' && roleOf(to) === 'module'
      ? null
      : 'of another context only the contract may be imported';
  }
  return contexts.has(here) && here === there ? wrongWithin(from, to) : null;
}

/** Rings of files that import each other, among those that `of` picks. */
function cyclesAmong(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      found.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
      return;
    }
    if (done.has(path)) return;
    for (const next of graph.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) walk(path, []);
  return found;
}

/** Every break of the design's walls, each in a line. */
function breaks(sources: Sources): string[] {
  const contexts = contextsOf(sources);
  const found: string[] = [];
  const modules = new Map<string, string[]>();
  for (const [path, text] of Object.entries(sources)) {
    if (isSpec(path)) continue;
    if (path.endsWith('index.ts')) found.push(`${path}: a barrel`);
    for (const target of importsOf(path, text)) {
      if (!target.startsWith('.')) {
        if (roleOf(path) === 'domain' && !target.startsWith('node:')) {
          found.push(`${path}: a domain imports the package ${target}`);
        }
        continue;
      }
      const to = posix.join(posix.dirname(path), target).replace(/\.js$/, '.ts');
      if (to.startsWith('..')) continue;
      if (isSpec(to)) found.push(`${path} → ${to}: a test is imported`);
      const why = wrongImport(path, to, contexts);
      if (why) found.push(`${path} → ${to}: ${why}`);
      if (roleOf(path) === 'module' && roleOf(to) === 'module') {
        modules.set(path, [...(modules.get(path) ?? []), to]);
      }
    }
  }
  return [...found, ...cyclesAmong(modules).map((ring) => `a cycle of modules: ${ring}`)];
}

function sourcesOnDisk(): Sources {
  const src = join(ROOT, 'src');
  const paths = readdirSync(src, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(src, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(src, path), 'utf8')]));
}

describe('the walls of the design', () => {
  const sources = sourcesOnDisk();

  it('are around every context on disk', () => {
    expect([...contextsOf(sources)]).toEqual(
      expect.arrayContaining([
        'bank',
        'business',
        'funding',
        'identity',
        'ledger',
        'payments',
        'settlement',
        'wallet',
      ]),
    );
    expect(contextsOf(sources)).not.toContain('shared');
    expect(contextsOf(sources)).not.toContain('http');
  });

  it('stand', () => {
    expect(breaks(sources)).toEqual([]);
  });

  it('are flat: no folder within a context', () => {
    const contexts = contextsOf(sources);
    const deep = Object.keys(sources).filter(
      (path) => contexts.has(contextOf(path)) && path.split('/').length > 2,
    );
    expect(deep).toEqual([]);
  });
});

describe('the checker of the walls', () => {
  const MODULES = { 'a/a.module.ts': '', 'b/b.module.ts': '' };
  const found = (sources: Sources) => breaks({ ...MODULES, ...sources });

  it.each<[string, string, string]>([
    ['a contract that imports its domain', 'a/a.contract.ts', './a.domain.js'],
    ['a domain that imports its store', 'a/a.domain.ts', './a.store.js'],
    ['a store that imports its service', 'a/a.store.ts', './a.service.js'],
    ['a service that imports its controller', 'a/a.service.ts', './a.controller.js'],
    ['a controller that imports its module', 'a/a.controller.ts', './a.module.js'],
    ['a controller that imports another controller', 'a/a.controller.ts', './x.controller.js'],
    ['a domain that imports a file without a role', 'a/a.domain.ts', './passwords.js'],
    ['a store that imports a file without a role', 'a/a.store.ts', './passwords.js'],
    ['a file without a role that imports its service', 'a/passwords.ts', './a.service.js'],
    ['a service that imports the store of another context', 'a/a.service.ts', '../b/b.store.js'],
    ['a service that imports the service of another context', 'a/a.service.ts', '../b/b.service.js'],
    ['a domain that imports the domain of another context', 'a/a.domain.ts', '../b/b.domain.js'],
    ['a service that imports the module of another context', 'a/a.service.ts', '../b/b.module.js'],
    ['a module that imports the service of another context', 'a/a.module.ts', '../b/b.service.js'],
    ['a file of http that imports a service', 'http/x.guard.ts', '../a/a.service.js'],
    ['a shared file that imports a context', 'shared/x.ts', '../a/a.contract.js'],
    ['a shared file that imports http', 'shared/x.ts', '../http/x.js'],
    ['a shared file that imports the configuration', 'shared/x.ts', '../config.js'],
    ['a service that imports http', 'a/a.service.ts', '../http/fields.js'],
    ['a store that imports http', 'a/a.store.ts', '../http/fields.js'],
    ['a domain that imports a package', 'a/a.domain.ts', 'uuid'],
    ['a domain that imports a scoped package', 'a/a.domain.ts', '@nestjs/common'],
    ['a file that imports a test', 'a/a.service.ts', './a.domain.spec.js'],
  ])('sees %s', (_, path, target) => {
    for (const statement of [
      `import { x } from '${target}';`,
      `import type { x } from '${target}';`,
      `import '${target}';`,
      `export * from '${target}';`,
      `const x = await import('${target}');`,
      `type X = import('${target}').X;`,
    ]) {
      expect([statement, found({ [path]: statement }).length]).toEqual([statement, 1]);
    }
  });

  it.each<[string, string, string]>([
    ['a service that imports its store', 'a/a.service.ts', './a.store.js'],
    ['a service that imports a file without a role', 'a/a.service.ts', './passwords.js'],
    ['a controller that imports its contract', 'a/a.controller.ts', './a.contract.js'],
    ['a file without a role that imports its domain', 'a/passwords.ts', './a.domain.js'],
    ['a domain that imports the contract of another context', 'a/a.domain.ts', '../b/b.contract.js'],
    ['a module that imports another module', 'a/a.module.ts', '../b/b.module.js'],
    ['a controller that imports http', 'a/a.controller.ts', '../http/fields.js'],
    ['an api that imports http', 'a/dashboard.api.ts', '../http/fields.js'],
    ['a guard that imports http', 'a/x.guard.ts', '../http/fields.js'],
    ['a file of http that imports a contract', 'http/x.guard.ts', '../a/a.contract.js'],
    ['a domain that imports what Node brings', 'a/a.domain.ts', 'node:crypto'],
    ['a test that imports anything', 'a/a.domain.spec.ts', '../b/b.store.js'],
    ['the application that imports all', 'app.module.ts', './a/a.module.js'],
  ])('lets pass %s', (_, path, target) => {
    expect(found({ [path]: `import { x } from '${target}';` })).toEqual([]);
  });

  it('sees a barrel and a cycle of modules, however long', () => {
    expect(found({ 'a/index.ts': '' })).toEqual(['a/index.ts: a barrel']);
    expect(
      found({
        'a/a.module.ts': `import '../b/b.module.js';`,
        'b/b.module.ts': `import '../c/c.module.js';`,
        'c/c.module.ts': `import '../a/a.module.js';`,
      }),
    ).toEqual(['a cycle of modules: a/a.module.ts → b/b.module.ts → c/c.module.ts → a/a.module.ts']);
  });

  it('does not take the words of a comment or a text for an import', () => {
    const text = `// import { x } from '../b/b.store.js';\nconst s = "import '../b/b.store.js'";`;
    expect(found({ 'a/a.service.ts': text })).toEqual([]);
  });
});
