/** Authorization checks for one user. */
export interface AccessAsker {
  decide(question: AccessQuestion, verb: string): { readonly allowed: boolean; readonly reason: string };
  /** The same for a service account. */
  forAccount(namespace: string, name: string): AccessAsker;
  /** The check for the admission request itself. */
  readonly request: Omit<AccessQuestion, "asker">;
}

/** An authorization check that an expression builds step by step; `path` for non-resource checks. */
export interface AccessQuestion {
  readonly asker: AccessAsker;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}
