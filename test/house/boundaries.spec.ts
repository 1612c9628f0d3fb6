import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import extractConfig from 'dependency-cruiser/config-utl/extract-depcruise-config';

const ROOT = join(import.meta.dirname, '../..');
const rules = await extractConfig(join(ROOT, '.dependency-cruiser.mjs'));

/** A wrong import: its file, what it imports, and the rule that must catch it. */
const WRONG: readonly (readonly [file: string, target: string, rule: string])[] = [
  ['src/contexts/a/a.events.ts', './a.port.js', 'no-upward-import-from-events'],
  ['src/contexts/a/a.port.ts', './a.domain.js', 'no-upward-import-from-port'],
  ['src/contexts/a/a.domain.ts', './a.store.js', 'no-upward-import-from-domain'],
  ['src/contexts/a/a.entity.ts', './a.store.js', 'no-upward-import-from-entity'],
  ['src/contexts/a/a.store.ts', './a.service.js', 'no-upward-import-from-store'],
  ['src/contexts/a/deep/a.store.ts', '../a.service.js', 'no-upward-import-from-store'],
  ['src/contexts/a/a.service.ts', './a.controller.js', 'no-upward-import-from-service'],
  ['src/contexts/a/a.reconcile.ts', './a.controller.js', 'no-upward-import-from-service'],
  ['src/contexts/a/a.dto.ts', './a.controller.js', 'no-upward-import-from-dto'],
  ['src/contexts/a/a.guard.ts', './a.controller.js', 'no-upward-import-from-guard'],
  ['src/contexts/a/a.controller.ts', './a.module.js', 'no-upward-import-from-controller'],
  ['src/contexts/a/a.domain.ts', './helper.js', 'no-helper-below-domain'],
  ['src/contexts/a/helper.ts', './a.service.js', 'helpers-know-domain-only'],
  ['src/contexts/a/a.service.ts', '../b/b.store.js', 'other-contexts-by-port-and-events'],
  ['src/contexts/a/a.service.ts', '../b/b.guard.js', 'other-contexts-by-port-and-events'],
  ['src/contexts/a/helper.ts', '../b/helper.js', 'other-contexts-by-port-and-events'],
  ['src/contexts/a/a.controller.ts', '../b/b.service.js', 'controllers-use-guards-of-other-contexts'],
  ['src/contexts/a/a.module.ts', '../b/b.service.js', 'modules-import-modules'],
  ['src/contexts/identity/identity.module.ts', '../b/b.module.js', 'identity-stands-below'],
  ['src/contexts/bank/bank.controller.ts', '../b/b.port.js', 'bank-stands-below'],
  ['src/kernel/money.ts', '../platform/config.js', 'kernel-imports-nothing'],
  ['src/kernel/money.ts', 'pg', 'kernel-imports-nothing'],
  ['src/platform/config.ts', '../contexts/a/a.port.js', 'platform-knows-no-context'],
  ['src/platform/config.ts', '../bootstrap.js', 'platform-knows-no-context'],
  ['src/contexts/a/a.service.ts', '../../platform/http/api/fields.js', 'http-for-controllers-only'],
  ['src/contexts/a/a.domain.ts', 'pg', 'domain-imports-no-package'],
  ['src/contexts/a/a.domain.ts', '../../platform/config.js', 'domain-imports-no-package'],
  ['src/contexts/a/a.service.ts', './a.domain.spec.js', 'no-test-imported'],
  ['src/contexts/a/a.service.ts', '../b/index.js', 'no-barrel'],
];

const RIGHT: readonly (readonly [file: string, target: string])[] = [
  ['src/contexts/a/a.service.ts', './a.store.js'],
  ['src/contexts/a/a.service.ts', './helper.js'],
  ['src/contexts/a/a.service.ts', '../b/b.port.js'],
  ['src/contexts/a/a.service.ts', '../b/b.events.js'],
  ['src/contexts/a/a.domain.ts', '../b/b.port.js'],
  ['src/contexts/a/a.controller.ts', '../b/b.guard.js'],
  ['src/contexts/a/a.controller.ts', '../../platform/http/api/fields.js'],
  ['src/contexts/a/a.module.ts', '../b/b.module.js'],
  ['src/contexts/a/a.service.ts', '../../platform/config.js'],
  ['src/contexts/a/a.domain.spec.ts', '../b/b.store.js'],
  ['src/app.module.ts', './contexts/a/a.module.js'],
];

/** Every file that an import above names or stands in, empty but for the one import that is looked at. */
const FILES = [
  ...new Set([
    ...[...WRONG, ...RIGHT].map(([file]) => file),
    ...['a', 'b'].flatMap((name) =>
      ['events', 'port', 'domain', 'entity', 'store', 'service', 'dto', 'guard', 'controller', 'module'].map(
        (role) => `src/contexts/${name}/${name}.${role}.ts`,
      ),
    ),
    'src/contexts/b/index.ts',
    'src/contexts/b/helper.ts',
    'src/bootstrap.ts',
    'src/platform/http/api/fields.ts',
  ]),
];

interface Violation {
  readonly rule: string;
  readonly from: string;
  readonly to: string;
}

async function violations(root: string): Promise<Violation[]> {
  const { output } = await cruise(['src'], {
    ...rules.options,
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: rules.forbidden ?? [] },
    tsConfig: {},
  });
  return (output as ICruiseResult).summary.violations.map(({ rule, from, to }) => ({
    rule: rule.name,
    from,
    to,
  }));
}

/** That they hold in the source code is for `npm run boundaries`, which `npm run lint` runs: here it is their own test. */
describe('module boundaries', () => {
  let root: string;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'boundaries-'));
    for (const file of FILES) {
      await mkdir(dirname(join(root, file)), { recursive: true });
      await writeFile(join(root, file), 'export const x = 1;\n');
    }
  });
  afterAll(() => rm(root, { recursive: true }));

  /** What is found where every file has the imports that are given for it: looking at them costs, not their number. */
  async function foundWhere(
    imports: readonly (readonly [file: string, target: string, ...unknown[]])[],
    how: 'import' | 'import type',
  ): Promise<Violation[]> {
    const lines = new Map<string, string[]>();
    for (const [file, target] of imports) {
      const those = lines.get(file) ?? [];
      lines.set(file, [...those, `${how} { x as x${those.length} } from '${target}';`]);
    }
    for (const [file, those] of lines)
      await writeFile(join(root, file), `${those.join('\n')}\nexport const x = 1;\n`);
    const found = await violations(root);
    for (const file of lines.keys()) await writeFile(join(root, file), 'export const x = 1;\n');
    return found;
  }

  const resolved = (file: string, target: string): string =>
    target.startsWith('.') ? join(dirname(file), target).replace(/js$/, 'ts') : target;

  describe.each(['import', 'import type'] as const)('are broken by `%s`', (how) => {
    let found: Violation[];
    beforeAll(async () => {
      found = await foundWhere(WRONG, how);
    });

    it.each(WRONG)('of %s importing %s', (from, target, rule) => {
      expect(found).toContainEqual({ rule, from, to: resolved(from, target) });
    });
  });

  describe('are kept', () => {
    let found: Violation[];
    beforeAll(async () => {
      found = await foundWhere(RIGHT, 'import');
    });

    it.each(RIGHT)('by %s importing %s', (file) => {
      expect(found.filter(({ from }) => from === file)).toEqual([]);
    });
  });

  it('are broken by a ring of modules, however long', async () => {
    await writeFile(join(root, 'src/contexts/a/a.module.ts'), `import '../b/b.module.js';\n`);
    await mkdir(join(root, 'src/contexts/c'));
    await writeFile(join(root, 'src/contexts/b/b.module.ts'), `import '../c/c.module.js';\n`);
    await writeFile(join(root, 'src/contexts/c/c.module.ts'), `import '../a/a.module.js';\n`);
    expect((await violations(root)).map(({ rule }) => rule)).toContain('no-cycle');
  });
});
