import { readConfig } from './config.js';
import { serve } from './serve.js';
await serve(readConfig);
