import { formatKey, type ObjectKey } from "@purser/kubernetes/apis/object";
import type { InstallPlan } from "../../../apis/v0/install-plan.ts";

/** When this process first tried to execute each InstallPlan; epoch milliseconds. */
export class FirstAttempts {
  readonly #since = new Map<string, { readonly uid: string | undefined; readonly at: number }>();

  /** Undefined before the first attempt. What is not being installed any more, or was deleted, is forgotten. */
  of(key: ObjectKey, plan: InstallPlan | undefined): number | undefined {
    const name = formatKey(key);
    const known = this.#since.get(name);
    if (known !== undefined && known.uid === plan?.metadata.uid && plan?.status?.phase === "Installing")
      return known.at;
    this.#since.delete(name);
    return undefined;
  }

  note(key: ObjectKey, plan: InstallPlan, now: number): void {
    if (this.of(key, plan) === undefined) this.#since.set(formatKey(key), { uid: plan.metadata.uid, at: now });
  }
}
