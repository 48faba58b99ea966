import { Controller } from '@nestjs/common';
import { listProviders, type ResponseOf } from '@parley/contracts';
import { Handles } from '@parley/messaging';
import { Model } from './loop/model.js';

/** What others ask of the models that this process calls. */
@Controller()
export class ProviderHandlers {
  constructor(private readonly model: Model) {}

  @Handles(listProviders)
  async list(): Promise<ResponseOf<typeof listProviders>> {
    return this.model.listProviders();
  }
}
