import 'reflect-metadata';
import { appendFileSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import { actIsolated } from './act-isolated.js';
import { fatalWords } from './fatal-words.contract.js';

Logger.overrideLogger(false);
actIsolated((pids) => {
  if (typeof pids === 'string') appendFileSync(pids, `${process.pid}\n`);
  return fatalWords();
});
