import { type Condition, withCondition } from "@purser/kubernetes/apis/condition";
import { type ContentState, problemText } from "../../catalog/content.ts";
import { acceptanceText } from "../../catalog/image-acceptance.ts";

const type = "SignatureVerified";

/**
 * The conditions with what the signature policy decided about the content; without that condition when there is no policy.
 * While the content is not known, what is shown stays.
 * @param subject what was decided about: `image quay.io/acme/catalog:v1`
 */
export function withSignature(
  conditions: readonly Condition[],
  subject: string,
  content: ContentState | undefined,
  { observedGeneration, time }: { readonly observedGeneration: number; readonly time: string },
): readonly Condition[] {
  if (content === undefined) return conditions;
  const shown = signatureOf(subject, content);
  if (shown === "unknown") return conditions;
  if (shown === undefined) return conditions.filter((condition) => condition.type !== type);
  return withCondition(conditions, { type, ...shown, observedGeneration }, time);
}

function signatureOf(
  subject: string,
  content: ContentState,
): Pick<Condition, "status" | "reason" | "message"> | "unknown" | undefined {
  if (content.kind === "pending") return "unknown";
  if (content.kind !== "ready")
    return content.code === "SignatureRejected"
      ? { status: "False", reason: "SignatureRejected", message: problemText(content) }
      : "unknown";
  const { accepted } = content;
  if (accepted === undefined) return undefined;
  const message = `${subject} is ${acceptanceText(accepted)}`;
  return accepted.signer === undefined
    ? { status: "Unknown", reason: "NotRequired", message }
    : { status: "True", reason: "Verified", message };
}
