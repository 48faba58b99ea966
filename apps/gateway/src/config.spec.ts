import { ConfigError, readConfig } from '@parley/host';
import { DEFAULT_TENANT, GatewayConfig } from './config.js';
import { hashKey, ListedKeys } from './http/door/key-ring.js';

const mistakes = (env: Record<string, string>): string => {
  try {
    readConfig(GatewayConfig, env);
    return 'none';
  } catch (error) {
    return error instanceof ConfigError ? error.mistakes.join('\n') : String(error);
  }
};

describe('the configuration of the gateway', () => {
  it('is whole without a variable', () => {
    expect(readConfig(GatewayConfig, {})).toEqual({ port: 8283, host: '127.0.0.1', open: false, keys: [] });
  });

  it('lists keys by their hash, which name their tenants', async () => {
    const { keys } = readConfig(GatewayConfig, { PARLEY_KEYS: `${DEFAULT_TENANT}:${hashKey('secret')}, ` });
    const ring = new ListedKeys(keys);
    expect(ring.tenantOf('secret')).toBe(DEFAULT_TENANT);
    expect(ring.tenantOf('other')).toBeUndefined();
    expect(ring.tenantOf(hashKey('secret'))).toBeUndefined();
  });

  it.each([
    [{ PORT: '70000' }, 'PORT'],
    [{ PORT: 'http' }, 'PORT'],
    [{ PARLEY_OPEN: 'yes' }, 'PARLEY_OPEN'],
    [{ PARLEY_KEYS: 'a:b' }, 'PARLEY_KEYS'],
    [{ PARLEY_OPEN: '1', HOST: '0.0.0.0' }, 'PARLEY_OPEN: is for this machine only'],
    [{ PARLEY_OPEN: '1', HOST: '::' }, 'PARLEY_OPEN: is for this machine only'],
  ])('refuses %j', (env, told) => {
    expect(mistakes(env)).toContain(told);
  });

  it('tells all mistakes at once, also those of two variables together', () => {
    expect(mistakes({ PARLEY_OPEN: '1', HOST: '0.0.0.0', PORT: 'http' }).split('\n')).toEqual([
      'PORT: must be a number',
      'PARLEY_OPEN: is for this machine only: HOST must be 127.0.0.1',
    ]);
  });

  it.each(['127.0.0.1', 'localhost', '::1'])('may be open on %s', (HOST) => {
    expect(mistakes({ PARLEY_OPEN: '1', HOST })).toBe('none');
  });
});
