import { type Figure } from '../report/figure.js';
import { type Rig } from '../rig/rig.js';

/** A goal of the project, as far as a number can tell whether it is kept. */
export interface Goal {
  /** What it is called on the command line. */
  id: string;
  title: string;
  /** What it starts belongs to the rig, which ends it. */
  measure: (rig: Rig) => Promise<Figure[]>;
}
