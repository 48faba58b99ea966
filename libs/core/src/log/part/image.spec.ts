import { z } from 'zod';
import { BlobId, newId } from '../../ids.js';
import { checkImages, type ImagePart, MAX_IMAGE_DATA } from './image.js';
import { erased, InputPart, sizeOfPart } from './part.js';

const Given = z.array(InputPart).superRefine((parts, context) => checkImages(parts, context));
const inline = (data: string, mediaType = 'image/png') => ({
  type: 'image',
  source: { kind: 'base64', mediaType, data },
  origin: 'user',
});
const at = (url: string) => ({ type: 'image', source: { kind: 'url', url }, origin: 'user' });
const faults = (...parts: object[]): string[] =>
  Given.safeParse(parts).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

describe('an image that is given', () => {
  test.each(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])('is taken as bytes of the type %s', (type) => {
    expect(faults(inline('aGk=', type), inline('A'.repeat(MAX_IMAGE_DATA - 4), type))).toEqual([]);
  });

  test.each(['http://a.example/x.png', 'HTTPS://a.example/?q=ü'])('is taken at the address %s', (url) => {
    expect(faults(at(url))).toEqual([]);
  });

  test.each<[object, string]>([
    [inline(''), '0.source.data: is empty'],
    [inline('aGk'), '0.source.data: is not base64'],
    [inline('aG k'), '0.source.data: is not base64'],
    [inline('-_-_'), '0.source.data: is not base64'],
    [inline('===='), '0.source.data: is not base64'],
    [inline('A'.repeat(MAX_IMAGE_DATA + 4)), `0.source.data: has ${MAX_IMAGE_DATA + 4} characters, and may have`],
    [inline('aGk=', 'image/svg+xml'), '0.source.mediaType: '],
    [at('ftp://a.example/x.png'), '0.source.url: must be an address of http or https'],
    [at('data:image/png;base64,aGk='), '0.source.url: must be an address of http or https'],
    [at('https://a.example/a b'), '0.source.url: must be an address of http or https'],
    [at('https://'), '0.source.url: must be an address of http or https'],
    [at(`https://a.example/${'x'.repeat(9_000)}`), '0.source.url: has 9018 characters, and may have 8192'],
  ])('is refused by field and reason: %#', (part, fault) => {
    expect(faults(part)).toEqual([expect.stringContaining(fault)]);
  });

  test('is refused where it makes the images of a message too large together', () => {
    const half = inline('A'.repeat(MAX_IMAGE_DATA / 2));
    expect(faults(half, half)).toEqual([]);
    expect(faults(half, half, inline('aGk='))).toEqual([expect.stringMatching(/^2\.source\.data: makes the images/)]);
  });

  test('is measured by its blob where its bytes stand in one', () => {
    const stowed = (size: number) => ({ ...inline(''), blob: { id: newId(BlobId), size } });
    const large = stowed(MAX_IMAGE_DATA);
    expect(faults(large)).toEqual([]);
    expect(faults(large, inline('aGk='))).toEqual([expect.stringMatching(/^1\.source\.data: makes the images/)]);
    expect(faults(stowed(MAX_IMAGE_DATA + 4))).toEqual([
      expect.stringMatching(/give a smaller image, or its address$/),
    ]);
  });

  test('leaves nothing but its place when it is erased', () => {
    const part = inline('aGk=') as ImagePart;
    expect(sizeOfPart(part)).toBe(4);
    expect(erased(part)).toEqual({ type: 'image', source: null, origin: 'user' });
    expect(sizeOfPart(erased(part))).toBe(0);
    expect(faults(erased(part))).toEqual([]);
    const stowed = { ...part, blob: { id: newId(BlobId), size: 4 } };
    expect(erased(stowed)).toEqual({ type: 'image', source: null, origin: 'user' });
  });
});
