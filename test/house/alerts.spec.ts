import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const metricsIn = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(/\bapw_[a-z0-9_]*[a-z0-9]\b/g)].map(([name]) =>
      name.replace(/_(bucket|sum|count)$/, ''),
    ),
  ),
];

/** Every metric that the code names. */
const made = new Set(
  globSync('src/**/*.ts', { cwd: ROOT })
    .filter((file) => !file.endsWith('.spec.ts'))
    .flatMap((file) => metricsIn(read(file))),
);

interface Alert {
  readonly alert: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}
const { groups } = parse(read('ops/alerts.yml')) as { groups: { rules: Alert[] }[] };
const alerts = groups.flatMap(({ rules }) => rules);

describe('the metrics', () => {
  it.each(['ops/alerts.yml', 'ops/alerts.test.yml', 'ops/grafana-dashboard.json', 'ops/runbook.md'])(
    'that %s names exist in the code',
    (file) => {
      const named = metricsIn(read(file));
      expect(named.length).toBeGreaterThan(3);
      expect(named.filter((name) => !made.has(name))).toEqual([]);
    },
  );

  it('are all described in docs/operation.md and shown on the dashboard', () => {
    expect([...made].sort()).toEqual(metricsIn(read('docs/operation.md')).sort());
    expect([...made].sort()).toEqual(metricsIn(read('ops/grafana-dashboard.json')).sort());
  });
});

describe('the alerts', () => {
  it('have a page each in the runbook, and no page is of an alert that is gone', () => {
    const pages = read('ops/runbook.md').split(/^## /m).slice(1);
    expect(pages.map((page) => page.split('\n')[0]).sort()).toEqual(alerts.map(({ alert }) => alert).sort());
    for (const page of pages)
      for (const part of ['**Means.**', '**Look at**', '**Do.**']) expect(page).toContain(part);
    for (const { alert, annotations } of alerts)
      expect(annotations.runbook).toBe(`runbook.md#${alert.toLowerCase()}`);
  });

  it('are each expected to fire by a test of promtool', () => {
    const expected = [...read('ops/alerts.test.yml').matchAll(/alertname="(\w+)"/g)].map(([, name]) => name);
    expect(expected.sort()).toEqual(alerts.map(({ alert }) => alert).sort());
  });

  const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
  if (!hasPromtool)
    process.stderr.write(
      "SKIPPED: promtool is missing (Debian's package prometheus); rules are not tested\n",
    );
  (hasPromtool ? it : it.skip)(
    'fire past their thresholds and not before, as promtool says',
    () => {
      const run = (...args: string[]) =>
        execFileSync('promtool', args, { cwd: join(ROOT, 'ops') }).toString();
      expect(run('check', 'rules', 'alerts.yml')).toContain('SUCCESS');
      expect(run('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS');
    },
    120_000,
  );
});
