import type { PlantedFile } from '../linted-workspace.js';

/** A file that breaks one rule, or, without `says`, the like file that keeps it. */
export interface PlantedCase extends PlantedFile {
  rule: string;
  /** Completes "<rule> stops …" or "<rule> lets pass …". */
  that: string;
  /** What the rule says about the file. */
  says?: RegExp;
  /** Other files that the case needs. */
  beside?: readonly PlantedFile[];
}
