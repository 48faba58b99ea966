import { configFromEnvironment } from './config.js';
import { serve } from './serve.js';
await serve(configFromEnvironment(), process);
