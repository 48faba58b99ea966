import { referenceWorld } from './reference-world.contract.js';
import { describeRunBudget } from './run-budget.contract.js';
import { describeRunLoop } from './run-loop.contract.js';

describeRunLoop('the log in memory', async () => referenceWorld().world);
describeRunBudget('the log in memory', async () => referenceWorld().world);
