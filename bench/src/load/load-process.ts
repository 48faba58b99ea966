import { answerParent } from '../rig/answer-parent.js';
import { generateLoad } from './generate-load.js';
import { type LoadPlan } from './load-plan.js';

answerParent((plan: LoadPlan) => generateLoad(plan));
