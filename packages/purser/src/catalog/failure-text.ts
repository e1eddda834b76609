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
  return timeless(one) === timeless(other);
}

const times = new RegExp(`${nextTry}\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z`, "g");

const timeless = (text: string | undefined): string | undefined => text?.replaceAll(times, "");

/** A text with `failureText`s in it without their times, and the earliest of these (RFC 3339); undefined when it has none. */
export function withoutNextTry(text: string): { readonly text: string; readonly nextTry: string | undefined } {
  const found = Array.from(text.matchAll(times), ([match]) => match.slice(nextTry.length));
  return { text: text.replaceAll(times, ""), nextTry: found.toSorted()[0] };
}
