import { accessSync, constants, readFileSync } from 'node:fs';
import { run } from '../processes.mjs';

/**
 * The servers that tests and clusters start: Debian's package, and the program by which to see that it is there.
 * @type {{ name: string, program: string }[]}
 */
const servers = JSON.parse(readFileSync(new URL('servers.json', import.meta.url), 'utf8'));

/** As root. Nothing that is installed here starts by itself: who needs a server starts one of its own. */
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

/**
 * Installs the servers that are missing, of all or of those named. Resolves to what to tell the user where that is
 * impossible.
 * @param {readonly string[]} [wanted]
 */
export async function installServers(wanted = servers.map(({ name }) => name)) {
  const lacksOf = () => missing().filter(({ name }) => wanted.includes(name));
  const names = lacksOf().map(({ name }) => name);
  if (names.length === 0) return undefined;
  console.log(`Installing ${names.join(', ')} (Debian packages, once) …`);
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  await run([...asRoot, 'sh', '-c', installScript, 'install', ...names]);
  const lacking = lacksOf().map(({ name, program }) => `${name} (${program})`);
  if (lacking.length === 0) return undefined;
  return `This needs ${lacking.join(' and ')}, which could not be installed here.
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
