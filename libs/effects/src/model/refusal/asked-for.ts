import { truncated } from '@parley/core';
import { type ModelFailureCode } from '../model-failure.js';
import { type ModelTarget } from '../provider/providers.js';

/** The longest name, and the longest list of names, that is told; in UTF-16 units. */
const MAX_TOLD = 300;

/** What a call's handle came to. */
type Asked = Pick<ModelTarget, 'handle' | 'provider' | 'model' | 'providers'>;

/**
 * What a provider was asked for, where the handle may be to blame, and how to name another; empty: it is not. A mistyped
 * provider is taken for the beginning of a model's name, which a provider may refuse as one that it cannot read.
 */
export const askedFor = ({ handle, provider, model, providers }: Asked, code: ModelFailureCode): string => {
  const [first = '', ...rest] = handle.split('/');
  const isNamed = first === provider;
  const isPathOfDefault = !isNamed && rest.length > 0;
  if (code !== 'not_found' && !(code === 'bad_request' && isPathOfDefault)) return '';
  const unnamed = isPathOfDefault ? `, since no provider is called '${told(first)}'` : ', as the default provider';
  return (
    `asked for model '${told(model)}'${isNamed ? '' : unnamed}; ` +
    `another is named as '<provider>/<model>' (providers: ${told(providers.join(', '))}): `
  );
};

const told = (text: string): string => truncated(text, MAX_TOLD);
