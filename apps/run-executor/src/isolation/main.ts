import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { ModelClient, Providers, ProviderTable } from '@parley/effects';
import { createLogger, NestLogger } from '@parley/host';
import { Outbound } from '@parley/outbound';
import { actIsolated } from './act-isolated.js';

Logger.overrideLogger(new NestLogger(createLogger({ app: 'isolated-run', level: 'warn', to: process.stderr })));
actIsolated((settings) => new ModelClient(new Outbound(), new Providers(ProviderTable.parse(settings))));
