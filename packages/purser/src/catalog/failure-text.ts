import { formatTime } from "@purser/kubernetes/clock";
import { type ContentState, problemText } from "./content.ts";

const nextTry = "; next try at ";

/** Cause, remedy and the time of the next try, which is absolute so that the text is the same until then. */
export function failureText(state: Extract<ContentState, { readonly kind: "failing" | "refused" }>): string {
  const text = problemText(state);
  if (state.kind === "refused" || state.retryAt === undefined) return text;
  return `${text.replace(/\.$/, "")}${nextTry}${formatTime(state.retryAt)}`;
}

/** Whether two texts with a `failureText` in them report the same failure, whenever it is tried again. */
export function isSameFailure(one: string | undefined, other: string | undefined): boolean {
  return withoutNextTry(one) === withoutNextTry(other);
}

const times = new RegExp(`${nextTry}\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z`, "g");

const withoutNextTry = (text: string | undefined): string | undefined => text?.replaceAll(times, "");
