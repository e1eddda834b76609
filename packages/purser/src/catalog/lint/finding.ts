import type { Place } from "@purser/kubernetes/place";
import type { Edit } from "./edits/edit.ts";
import type { Severity } from "./rules.ts";

/** A finding of a rule. The pointer of its place names the value; the line may still be that of the document. */
export interface Finding {
  readonly rule: string;
  /** One sentence that names the objects. */
  readonly message: string;
  /** The fact in this catalog that leads to the finding. */
  readonly why?: string;
  /** What to do in this case; the rule's own remedy when absent. */
  readonly remedy?: string;
  readonly place: Place;
  readonly packageName?: string;
  readonly channel?: string;
  readonly bundle?: string;
  /** Changes of the text that repair it. */
  readonly fix?: readonly Edit[];
}

export interface JudgedFinding extends Finding {
  readonly severity: Exclude<Severity, "off">;
}
