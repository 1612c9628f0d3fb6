import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transformSync } from '@swc/core';

/** As `tsc` compiles it; a variable, since the types of swc do not know the last option yet. */
const JSC = {
  target: 'es2024' as const,
  parser: { syntax: 'typescript' as const, decorators: true },
  transform: { legacyDecorator: true, decoratorMetadata: true },
  rewriteRelativeImportExtensions: true,
};

/** Compiles the service of the checkout `root` into `folder`, in a second; it runs on the packages of `modules`. */
export function compileService(root: string, folder: string, modules = join(root, 'node_modules')): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  symlinkSync(modules, join(folder, 'node_modules'));
  for (const top of ['src', 'migrations', 'scripts']) {
    for (const path of readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })) {
      if (!path.endsWith('.ts') || path.endsWith('spec.ts')) continue;
      const { code } = transformSync(readFileSync(join(root, top, path), 'utf8'), {
        jsc: JSC,
        module: { type: 'es6' },
      });
      const target = join(folder, top, path.replace(/\.ts$/, '.js'));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, code);
    }
  }
}
