import { accessSync, constants, readFileSync } from 'node:fs';
import { run } from './processes.mjs';

/**
 * The servers that the tests start: Debian's package, and the program by which to see that it is there.
 * @type {{ name: string, program: string }[]}
 */
const servers = JSON.parse(readFileSync(new URL('test-servers.json', import.meta.url), 'utf8'));

/** As root. Nothing that is installed here starts by itself: the tests start servers of their own. */
const installScript = `
set -e
export DEBIAN_FRONTEND=noninteractive
policy=/usr/sbin/policy-rc.d
log=$(mktemp)
ours=
trap 'rm -f $log $ours' EXIT
trap 'exit 130' HUP INT TERM
if [ ! -e $policy ]; then
  ours=$policy
  printf '#!/bin/sh\\nexit 101\\n' > $policy
  chmod 755 $policy
fi
apt-get update > $log 2>&1 || true
apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=120 "$@" >> $log 2>&1 || { cat $log; exit 1; }
`;

/** Installs the servers that are missing. Resolves to what to tell the user where that is impossible. */
export async function installServers() {
  const names = missing().map(({ name }) => name);
  if (names.length === 0) return undefined;
  console.log(`Installing ${names.join(', ')} (Debian packages, once) …`);
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  await run([...asRoot, 'sh', '-c', installScript, 'install', ...names]);
  const lacking = missing().map(({ name, program }) => `${name} (${program})`);
  if (lacking.length === 0) return undefined;
  return `The tests need ${lacking.join(' and ')}, which could not be installed here.
Install by hand: apt-get install ${names.join(' ')}`;
}

function missing() {
  return servers.filter(({ program }) => !isProgram(program));
}

function isProgram(/** @type {string} */ path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
