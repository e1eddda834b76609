import type { MutatingWebhook } from "@purser/kubernetes/apis/admissionregistration";

/**
 * State shared by the two rounds of mutation. There is a second round when a webhook changed the object: built-in
 * plug-ins all run again, and webhooks with reinvocationPolicy IfNeeded that ran before a later change.
 */
export class Reinvocation {
  readonly hooks: readonly MutatingWebhook[];
  /** Whether this is the second round. */
  again = false;
  /** Whether a webhook has changed the object. */
  changed = false;
  readonly #ran = new Set<MutatingWebhook>();
  readonly #due = new Set<MutatingWebhook>();

  constructor(hooks: readonly MutatingWebhook[]) {
    this.hooks = hooks;
  }

  /** The second round calls only webhooks that ran in the first. */
  mayCall(hook: MutatingWebhook): boolean {
    return !this.again || this.#due.has(hook);
  }

  ran(hook: MutatingWebhook, changed: boolean): void {
    if (changed) {
      this.objectChanged();
      this.changed = true;
    }
    if (hook.reinvocationPolicy === "IfNeeded") this.#ran.add(hook);
  }

  /** Earlier webhooks have not seen the changed object. */
  objectChanged(): void {
    for (const hook of this.#ran) this.#due.add(hook);
    this.#ran.clear();
  }
}
