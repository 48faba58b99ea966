import { type listProviders, type ResponseOf } from '@parley/contracts';
import { type ModelOutcome, type ModelRequest } from '@parley/effects';

/** The models, each asked once. A port, so that a run can be driven word by word; `ModelClient` of effects is its form. */
export abstract class Model {
  /** Answers soon when `signal` aborts. */
  abstract callModel(request: ModelRequest): Promise<ModelOutcome>;
  /** How long the model's provider is left alone because it fails again and again, in milliseconds; 0: it may be asked. */
  abstract pauseMs(handle: string): number;
  /** Whether it is known what a call of the model costs; one that cannot be made costs nothing. */
  abstract isPriced(handle: string): boolean;
  /** Who answers, without secrets. */
  abstract listProviders(): ResponseOf<typeof listProviders>;
}
