import { describeDeadLetters } from '../dead-letters.contract.js';
import { referenceSubject } from '../sequences/reference-subject.contract.js';

describe('dead letters in memory', () => {
  describeDeadLetters(async () => referenceSubject());
});
