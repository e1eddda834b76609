import type { Explanation } from "../explanation/explanation.ts";

/** The rule that chose or excluded one bundle. */
export type WhyBundle =
  /** In the answer; `text` names what asked for it. */
  | { readonly kind: "chosen"; readonly text: string }
  /** Possible, but something earlier in the order of preference was possible too. */
  | { readonly kind: "lessPreferred"; readonly text: string; readonly instead: string }
  /** Impossible together with the rest; the explanation leaves nothing out. */
  | { readonly kind: "excluded"; readonly explanation: Explanation }
  /** Nothing asks for it, directly or through others. */
  | { readonly kind: "notAsked"; readonly text: string }
  /** The resolution failed. */
  | { readonly kind: "undecided"; readonly explanation: Explanation };
