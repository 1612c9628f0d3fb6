import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LogSettings } from './log-settings.js';

const PACKAGE = 'agent-payment-wallet';
const COMMIT_FILE = 'commit';
const FOLDERS_MAX = 6;

export interface Release {
  readonly version: string;
  readonly commit: string;
}

/** Version and commit of this process. */
export function releaseOf({ GIT_COMMIT }: Pick<LogSettings, 'GIT_COMMIT'>): Release {
  const folders = foldersAbove(import.meta.dirname);
  const version = folders.map(versionIn).find((found) => found !== null) ?? 'unknown';
  return { version, commit: GIT_COMMIT ?? folders.map(commitIn).find((found) => found !== '') ?? 'unknown' };
}

/** Sources and the kinds of builds lie at different depths. */
function foldersAbove(folder: string): string[] {
  const folders = [folder];
  for (let up = dirname(folder); up !== folders.at(-1) && folders.length < FOLDERS_MAX; up = dirname(up))
    folders.push(up);
  return folders;
}

function versionIn(folder: string): string | null {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return null;
  const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name?: string; version?: string };
  return name === PACKAGE && version ? version : null;
}

function commitIn(folder: string): string {
  const file = join(folder, COMMIT_FILE);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
}
