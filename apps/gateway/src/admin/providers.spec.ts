import { PlatformError } from '@parley/core';
import { KEY, tryGateway, type TriedGateway } from '../try-gateway.contract.js';

describe('/parley/v1/providers', () => {
  let tried: TriedGateway;
  beforeAll(async () => {
    tried = await tryGateway();
  });
  afterAll(async () => {
    expect(tried.errors).toEqual([]);
    await tried.close();
  });

  const get = async (query = '', headers: Record<string, string> = { 'x-api-key': KEY }) => {
    const response = await fetch(`${tried.url}/parley/v1/providers${query}`, { headers });
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      body: await response.json(),
    };
  };

  it('lists what is configured', async () => {
    expect(await get()).toMatchObject({ status: 200, body: tried.platform.providers });
  });

  it('asks for a key', async () => {
    expect(await get('', {})).toMatchObject({ status: 401, type: expect.stringContaining('application/problem+json') });
  });

  it('takes no parameters', async () => {
    const errors = [{ path: 'limit', message: 'is not a known field' }];
    expect(await get('?limit=1')).toMatchObject({ status: 422, body: { status: 422, errors } });
  });

  it('says in the words of RFC 9457 that no executor is there', async () => {
    tried.platform.failures.set('rpc.provider.list', [new PlatformError('unavailable', 'nobody serves it')]);
    expect(await get()).toMatchObject({ status: 503, body: { type: 'urn:parley:error:unavailable' } });
  });
});
