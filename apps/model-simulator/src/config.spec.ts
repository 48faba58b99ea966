import { readConfig } from './config.js';

describe('the configuration', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).toMatchObject({ host: '127.0.0.1', port: 8290, scriptFile: undefined, apiKey: undefined });
  });

  it('is read from the environment', () => {
    expect(
      readConfig({ HOST: '0.0.0.0', PORT: '9', SIMULATOR_SCRIPT_FILE: 'a.json', SIMULATOR_API_KEY: 'k' }),
    ).toMatchObject({ host: '0.0.0.0', port: 9, scriptFile: 'a.json', apiKey: 'k' });
  });

  it('names every variable that is wrong', () => {
    expect(() => readConfig({ PORT: '70000', SIMULATOR_BODY_LIMIT_BYTES: 'much' })).toThrow(
      /PORT.*SIMULATOR_BODY_LIMIT_BYTES/,
    );
  });
});
