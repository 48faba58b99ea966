/** Jest's global teardown; see global-setup.mjs. */
export default async function globalTeardown() {
  await import(new URL('../../../../tools/typescript.mjs', import.meta.url).href);
  const { stopTestServers } = await import('./test-servers.js');
  await stopTestServers();
}
