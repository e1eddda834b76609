import type { MutatingWebhook } from "@purser/kubernetes/apis/admissionregistration";

/**
 * What the second round of mutation needs to know of the first. There is one when a webhook changed the object: the
 * server's own plug-ins all run again, and of the webhooks those that ask for it and ran before a later change.
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

  /** In the second round nobody is called for the first time. */
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

  /** Whoever ran before has not seen what the object is now. */
  objectChanged(): void {
    for (const hook of this.#ran) this.#due.add(hook);
    this.#ran.clear();
  }
}
